/** What a page gives to a chart, and what the chart tells the page. */

import type { ClientClock } from '@tapeloom/client/stream';
import type { FeedActionId } from '../feed/words.ts';
import type { CellKind, ColumnRange } from '../scene/scene-types.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';

/** What the pointer does. `crosshair` pans. */
export const TOOLS = [
  'crosshair',
  'range',
  'line',
  'trend',
  'rectangle',
  'text',
  'measure',
] as const;
export type Tool = (typeof TOOLS)[number];

/** Keys that the page around the chart answers. */
export type ViewCommand =
  | 'indicators'
  | 'play'
  | 'step-back'
  | 'step-on'
  | 'wire'
  | 'table'
  | 'full-screen'
  | 'keys';

/** Where a crosshair stands: a time and a price, so that linked charts of other bars can show it. */
export interface ViewHover {
  /** Of the chart that has the crosshair; several bars may begin in one nanosecond. */
  readonly column: number;
  /** When that column begins. */
  readonly ns: bigint;
  /** Null: below the prices, or linked from a chart of another instrument. */
  readonly ticks: number | null;
}

/** Which time a chart shows; linked charts follow it. */
export interface ViewTime {
  /** At the right edge of the plot. Null: the chart follows its end. */
  readonly rightNs: bigint | null;
}

/** What a page writes around a chart. */
export interface ViewState {
  /** Ticks per row as drawn: the automatic choice, if the spec leaves it to the chart. */
  readonly group: number;
  readonly cell: CellKind;
  readonly isAtEnd: boolean;
  /** Prices fit by themselves. */
  readonly isAutoFit: boolean;
  /** Columns on screen: [from, to). */
  readonly shown: ColumnRange;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Key of the selected drawing. */
  readonly selected: string | null;
  /** A new drawing shows them again. */
  readonly areDrawingsHidden: boolean;
}

export interface ChartViewOptions {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly clock: ClientClock;
  /** A small chart of a grid: numbers of the crosshair go to the page's row instead of a card. */
  readonly isCompact?: boolean;
  /** A gesture or a key changed the spec: look, group, drawings, zone. */
  readonly onSpec?: (spec: ChartSpec) => void;
  readonly onHover?: (hover: ViewHover | null) => void;
  /** The left edge of the loaded bars comes into view. At most once per gesture and loaded page. */
  readonly onNeedBack?: () => void;
  /** The opening of the chart counts as a gesture: older bars are wanted if the first ones leave room. */
  readonly isFilled?: boolean;
  readonly onRange?: (range: ColumnRange | null) => void;
  readonly onTool?: (tool: Tool) => void;
  readonly onTime?: (time: ViewTime) => void;
  readonly onCommand?: (command: ViewCommand) => void;
  /** After a frame in which something of it changed. */
  readonly onState?: (state: ViewState) => void;
  /** The first zoom, drag or key of this chart: a hint about gestures may go. */
  readonly onFirstGesture?: () => void;
  /** The chart received focus or a pointer: it is the one in use. */
  readonly onUse?: () => void;
  /** A button of the hem, or of the words where no bar is in view. */
  readonly onAction?: (action: FeedActionId) => void;
  /** The reader copied the numbers of a range, or the browser did not permit it. */
  readonly onCopied?: (isCopied: boolean) => void;
}

export interface PictureOptions {
  /** Without it the picture has the colours of the page. */
  readonly theme?: 'light' | 'dark';
}
