/**
 * The chart in a page: two canvases in one tab stop, gestures, keys, cards and drawing tools around the scene. It draws
 * only when something changed. It needs `view.css` and the colour tokens on an ancestor.
 */

import type { HemText } from '../feed/words.ts';
import type { CellHit } from '../scene/hit.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { ChartTable } from './chart-table.ts';
import type {
  ChartViewOptions,
  PictureOptions,
  Tool,
  ViewHover,
  ViewState,
  ViewTime,
} from './view-options.ts';

const UNFINISHED = 'the view is being written';

export class ChartView {
  readonly root: HTMLElement;
  readonly #options: ChartViewOptions;

  constructor(root: HTMLElement, options: ChartViewOptions) {
    this.root = root;
    this.#options = options;
  }

  get spec(): ChartSpec {
    return this.#options.spec;
  }

  get state(): ViewState {
    throw new Error(UNFINISHED);
  }

  get tool(): Tool {
    return 'crosshair';
  }

  /** Milliseconds of script of the newest frames. */
  get frames(): readonly number[] {
    return [];
  }

  setSpec(_spec: ChartSpec): void {}

  /** Other bars in the same place, such as a replay's. */
  setContent(_content: ChartContent): void {}

  setSums(_sums: SessionSums | null): void {}

  setCompact(_isCompact: boolean): void {}

  /** The crosshair of a linked chart; null removes it. */
  setLinked(_hover: ViewHover | null): void {}

  /** The time of a linked chart. */
  setLinkedTime(_time: ViewTime): void {}

  setTool(_tool: Tool): void {}

  setSnap(_isSnapping: boolean): void {}

  setDrawingsHidden(_areHidden: boolean): void {}

  /** Prices stand still: the price tag is grey, without the time left in the bar. */
  setStale(_isStale: boolean): void {}

  /** True: the chart has answered the key, also by a command for the page. */
  key(_event: KeyboardEvent): boolean {
    return false;
  }

  goToEnd(): void {}

  goTo(_ns: bigint): void {}

  /** Columns of this width, at the same right edge. */
  zoomTo(_columnWidth: number): void {}

  fitPrices(): void {}

  clearRange(): void {}

  deleteSelected(): void {}

  deleteAllDrawings(): void {}

  undo(): void {}

  redo(): void {}

  focus(): void {}

  /** Reads colours and sizes again; a change of the theme on the page's root is noticed without it. */
  redraw(): void {}

  svg(_options?: PictureOptions): string {
    throw new Error(UNFINISHED);
  }

  png(_options?: PictureOptions): Promise<Blob> {
    throw new Error(UNFINISHED);
  }

  table(): ChartTable {
    throw new Error(UNFINISHED);
  }

  /** Words and buttons where the loaded bars begin; null removes them. */
  setHem(_hem: HemText | null): void {}

  /** The name of the live edge, "14:03, 10 min ago"; null: none. */
  setEdgeText(_text: string | null): void {}

  /** What lies under the crosshair, for the legend of a small chart. */
  get hit(): CellHit | null {
    return null;
  }

  destroy(): void {}
}
