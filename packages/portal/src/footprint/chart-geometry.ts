/**
 * The layout of a footprint chart. Everything is anchored to the right edge and to rows of whole pixels, so a wider
 * picture shows more bars and moves nothing. There are two layouts: phone and desktop.
 */

import type { ChartBar, ChartModel } from './chart-model.ts';

/** Lower pictures use the phone layout. */
const TALL_FROM = 500;
/** Numbers below a legible size are omitted; the cells stay. */
const TEXT_ROW_MIN = 13;
const TEXT_HALF_MIN = 26;
/** Minimum rows between the last price and the edge of the picture. */
const EDGE_ROWS = 3;
/** The share of visible bars that are centred. */
const RECENT_SHARE = 0.7;

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

export interface ChartGeometry extends ChartSize {
  readonly isNarrow: boolean;
  /** From the left edge to the price axis. */
  readonly plotWidth: number;
  readonly axisWidth: number;
  /** The height of the bars' pane, from the top. */
  readonly mainHeight: number;
  readonly deltaTop: number;
  readonly cumulativeTop: number;
  readonly cumulativeHeight: number;
  readonly timeTop: number;
  readonly rowHeight: number;
  /** The width of a half cell. */
  readonly half: number;
  /** The space for a candle and its discs left of a ladder. */
  readonly gutter: number;
  readonly columnWidth: number;
  readonly hasText: boolean;
}

const NARROW = {
  axisWidth: 58,
  cumulativeHeight: 64,
  gutter: 20,
  half: 34,
  gap: 12,
  rowHeight: 16,
};
const WIDE = { axisWidth: 76, cumulativeHeight: 76, gutter: 28, half: 38, gap: 12, rowHeight: 17 };
const DELTA_HEIGHT = 44;
const TIME_HEIGHT = 26;
const RIGHT_MARGIN = 10;

export function chartGeometry({ width, height }: ChartSize): ChartGeometry {
  const isNarrow = height < TALL_FROM;
  const { axisWidth, cumulativeHeight, gutter, half, gap, rowHeight } = isNarrow ? NARROW : WIDE;
  const timeTop = height - TIME_HEIGHT;
  const cumulativeTop = timeTop - cumulativeHeight;
  const deltaTop = cumulativeTop - DELTA_HEIGHT;
  return {
    width,
    height,
    isNarrow,
    axisWidth,
    plotWidth: width - axisWidth,
    mainHeight: deltaTop,
    deltaTop,
    cumulativeTop,
    cumulativeHeight,
    timeTop,
    rowHeight,
    half,
    gutter,
    columnWidth: gutter + half * 2 + gap,
    hasText: rowHeight >= TEXT_ROW_MIN && half >= TEXT_HALF_MIN,
  };
}

/** The number of visible bars, including one cut by the left edge. */
export function barsSeen({ plotWidth, columnWidth }: ChartGeometry): number {
  return Math.max(1, Math.ceil((plotWidth - RIGHT_MARGIN) / columnWidth));
}

/** The left edge of a bar's column, by its index among the visible bars. */
export function columnLeft(geometry: ChartGeometry, index: number, seen: number): number {
  return geometry.plotWidth - RIGHT_MARGIN - (seen - index) * geometry.columnWidth;
}

/** Maps prices to heights, around a middle row. */
export interface PriceScale {
  rowTop(row: number): number;
  /** The middle of a price within its row. */
  priceY(ticks: number): number;
  /** The visible rows, lowest first. */
  readonly rows: readonly number[];
}

export function priceScale(geometry: ChartGeometry, middleRow: number, group: number): PriceScale {
  const { mainHeight, rowHeight } = geometry;
  const middle = Math.round(mainHeight / 2 - rowHeight / 2);
  const rowTop = (row: number) => middle - ((row - middleRow) / group) * rowHeight;
  const below = Math.ceil((mainHeight - middle) / rowHeight);
  const above = Math.ceil(middle / rowHeight);
  return {
    rowTop,
    priceY: (ticks) => rowTop(0) + rowHeight - ((ticks + 0.5) / group) * rowHeight,
    rows: Array.from({ length: below + above + 1 }, (_, i) => middleRow + (i - below) * group),
  };
}

/** The middle row: it stays while the last price is well inside, else moves a row at a time to centre recent bars. */
export class PriceFollower {
  #middle: number | null = null;
  #wanted = 0;

  next(geometry: ChartGeometry, { bars, group }: ChartModel): number {
    const last = bars.at(-1);
    if (last === undefined) return 0;
    const rowOf = (ticks: number) => Math.floor(ticks / group) * group;
    const reach = (geometry.mainHeight / geometry.rowHeight / 2 - EDGE_ROWS) * group;
    const recent = Math.ceil(barsSeen(geometry) * RECENT_SHARE);
    const wanted = () => rowOf(middleOf(bars.slice(-recent), last.close, reach));
    this.#middle ??= this.#wanted = wanted();
    const isInside = (middle: number) => Math.abs(last.close - middle) <= reach;
    if (!isInside(this.#wanted)) this.#wanted = wanted();
    const steps = Math.sign(this.#wanted - this.#middle);
    this.#middle += steps * group;
    return this.#middle;
  }
}

/** The middle of the bars' range, within reach of the last price. */
function middleOf(bars: readonly ChartBar[], close: number, reach: number): number {
  const high = Math.max(...bars.map((bar) => bar.high));
  const low = Math.min(...bars.map((bar) => bar.low));
  const near = Math.max(0, reach - 1);
  return Math.min(close + near, Math.max(close - near, (high + low) / 2));
}
