/**
 * The layout of a still page's footprint, in two forms: wide, and for phones. All of it is anchored to the right and the
 * bottom edge, with columns and rows of fixed size. So a wider picture shows more bars and moves nothing.
 */

import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { ChartLayout, ChartSize } from './chart-layout.ts';
import type { ViewWindow } from './window.ts';

export type FootprintForm = 'wide' | 'narrow';

interface Measures {
  readonly axisWidth: number;
  readonly sideWidth: number;
  readonly paneHeight: number;
  readonly columnWidth: number;
  readonly rowHeight: number;
}

const MEASURES: Readonly<Record<FootprintForm, Measures>> = {
  wide: { axisWidth: 66, sideWidth: 72, paneHeight: 76, columnWidth: 109, rowHeight: 17 },
  narrow: { axisWidth: 64, sideWidth: 0, paneHeight: 64, columnWidth: 97, rowHeight: 16 },
};
const STRIP_ROW_HEIGHT = 17;
const STRIP_PADDING = 10;
const TIME_HEIGHT = 26;
/** Between the newest bar and the price axis. */
const RIGHT_PX = 10;
/** Rows between the last price and the edge of the picture, at least. */
const EDGE_ROWS = 3;
/** The share of visible bars that are centred. */
const RECENT_SHARE = 0.7;

export function footprintLayout(
  size: ChartSize,
  spec: Pick<ChartSpec, 'side' | 'stripRows' | 'panes'>,
  form: FootprintForm,
): ChartLayout {
  const { width, height } = size;
  const { axisWidth, paneHeight, ...measures } = MEASURES[form];
  const sideWidth = spec.side === 'none' ? 0 : measures.sideWidth;
  const plotWidth = width - axisWidth - sideWidth;
  const timeTop = height - TIME_HEIGHT;
  const panesTop = timeTop - spec.panes.length * paneHeight;
  const stripHeight = spec.stripRows === 0 ? 0 : spec.stripRows * STRIP_ROW_HEIGHT + STRIP_PADDING;
  const bottom = panesTop - stripHeight;
  return {
    ...{ size, isNarrow: form === 'narrow', isCompact: false, textScale: 1, plotWidth },
    main: { x: 0, y: 0, width: plotWidth, height: bottom },
    strip: stripHeight === 0 ? null : { x: 0, y: bottom, width: plotWidth, height: stripHeight },
    ...{ stripRows: spec.stripRows, stripRowHeight: STRIP_ROW_HEIGHT },
    panes: spec.panes.map((pane, at) => ({
      pane,
      rect: { x: 0, y: panesTop + at * paneHeight, width: plotWidth, height: paneHeight },
    })),
    side: sideWidth === 0 ? null : { x: plotWidth, y: 0, width: sideWidth, height: bottom },
    priceAxis: { x: plotWidth + sideWidth, y: 0, width: axisWidth, height: bottom },
    names: { x: plotWidth, y: bottom, width: width - plotWidth, height: timeTop - bottom },
    timeAxis: { x: 0, y: timeTop, width, height: TIME_HEIGHT },
  };
}

/** The prices on screen: they stay while the last one is well inside, else move a row at a time to centre recent bars. */
export class RowFollower {
  #middle: number | null = null;
  #wanted = 0;

  /** The newest bars, with rows of whole pixels around the row in the middle. */
  next(layout: ChartLayout, { bars }: ChartContent): ViewWindow {
    const { columnWidth, rowHeight } = MEASURES[layout.isNarrow ? 'narrow' : 'wide'];
    const tickHeight = rowHeight / bars.group;
    const { height } = layout.main;
    const seen = (layout.plotWidth - RIGHT_PX) / columnWidth;
    const row = this.#row(bars, height / rowHeight, Math.ceil(seen * RECENT_SHARE));
    // The lower edge of the middle row is at a whole pixel, and so are all others.
    const middle = row + (Math.round((height + rowHeight) / 2) - height / 2) / tickHeight;
    const right = bars.columns.length + RIGHT_PX / columnWidth;
    return { columnWidth, right, middle, tickHeight, isAuto: false };
  }

  #row({ last, columns, group }: ChartContent['bars'], rows: number, recent: number): number {
    if (last === null) return 0;
    const reach = (rows / 2 - EDGE_ROWS) * group;
    const wanted = () => {
      const bars = columns.slice(-recent).filter((column) => column.kind === 'bar');
      const high = Math.max(...bars.map((bar) => bar.high));
      const low = Math.min(...bars.map((bar) => bar.low));
      const near = Math.max(0, reach - 1);
      const middle = Math.min(last.close + near, Math.max(last.close - near, (high + low) / 2));
      return Math.floor(middle / group) * group;
    };
    this.#middle ??= this.#wanted = wanted();
    if (Math.abs(last.close - this.#wanted) > reach) this.#wanted = wanted();
    this.#middle += Math.sign(this.#wanted - this.#middle) * group;
    return this.#middle;
  }
}
