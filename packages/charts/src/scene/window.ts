/**
 * Which columns and prices a chart shows. Pure: every gesture makes a new window. Column i covers [i, i + 1) of the
 * time axis, and a price of t ticks covers [t, t + 1) of the price axis.
 */

import type { BarSeries } from '../series/bar-series.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { ChartLayout } from './chart-layout.ts';

export interface ViewWindow {
  /** Pixels of a column. */
  readonly columnWidth: number;
  /** The column at the right edge of the plot; a fraction is a part of its width. */
  readonly right: number;
  /** The price at half the height, in ticks. */
  readonly middle: number;
  /** Pixels of a tick. */
  readonly tickHeight: number;
  /** Prices fit the columns on screen. */
  readonly isAuto: boolean;
}

const COLUMN_WIDTH_MIN = 1.5;
export const COLUMN_WIDTH_MAX = 260;
/** Empty space after the newest bar, in columns. */
const END_COLUMNS = 0.25;
/** How far the newest bar may be dragged away from the right edge, as a share of the plot. */
const FUTURE_SHARE = 0.5;
/** Columns that stay on screen however far one drags. */
const KEPT_COLUMNS = 4;
const TICK_HEIGHT_MIN = 1e-7;
const TICK_HEIGHT_MAX = 60;
/** A still market is not stretched over the whole height. */
const FIT_TICK_HEIGHT_MAX = 30;
const FIT_TICKS_MIN = 6;
const FIT_MARGIN = { wide: 52, narrow: 34 };

type Plot = Pick<ChartLayout, 'plotWidth' | 'main'>;

/** The end of the bars, before prices were fitted. */
export function openingWindow(count: number, columnWidth = 112): ViewWindow {
  return {
    columnWidth: bounded(columnWidth, COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX),
    right: count + END_COLUMNS,
    middle: 0,
    tickHeight: 8,
    isAuto: true,
  };
}

/** Zooms time; what lies at `x` stays there. */
export function zoomTime(
  window: ViewWindow,
  layout: Plot,
  factor: number,
  x: number,
  count: number,
): ViewWindow {
  const columnWidth = bounded(window.columnWidth * factor, COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX);
  const beyond = layout.plotWidth - x;
  const right = window.right - beyond / window.columnWidth + beyond / columnWidth;
  return clamped({ ...window, columnWidth, right }, layout, count);
}

/** Moves the picture by pixels: to the right and down. A move in height ends the fit of prices. */
export function panBy(
  window: ViewWindow,
  layout: Plot,
  dx: number,
  dy: number,
  count: number,
): ViewWindow {
  const right = window.right - dx / window.columnWidth;
  const moved =
    dy === 0
      ? { ...window, right }
      : { ...window, right, middle: window.middle + dy / window.tickHeight, isAuto: false };
  return clamped(moved, layout, count);
}

/** Zooms prices around `y`, or around the middle of the height. */
export function zoomPrice(
  window: ViewWindow,
  layout: Plot,
  factor: number,
  y = centreOf(layout),
): ViewWindow {
  const tickHeight = bounded(window.tickHeight * factor, TICK_HEIGHT_MIN, TICK_HEIGHT_MAX);
  const beyond = y - centreOf(layout);
  const middle = window.middle - beyond / window.tickHeight + beyond / tickHeight;
  return { ...window, middle, tickHeight, isAuto: false };
}

/** With prices that fit the columns on screen, if the window is automatic; else unchanged. */
export function fitted(
  window: ViewWindow,
  layout: Plot & Pick<ChartLayout, 'isNarrow' | 'isCompact'>,
  content: ChartContent,
  _spec: ChartSpec,
): ViewWindow {
  if (!window.isAuto) return window;
  const { columns } = content.bars;
  const [from, to] = shownColumns(window, layout, columns.length);
  let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let at = from; at < to; at += 1) {
    const column = columns[at]!;
    if (column.kind === 'gap') continue;
    if (column.high > high) high = column.high;
    if (column.low < low) low = column.low;
  }
  if (high < low) return window;
  const ticks = Math.max(FIT_TICKS_MIN, high - low + 1);
  const margin = layout.isNarrow || layout.isCompact ? FIT_MARGIN.narrow : FIT_MARGIN.wide;
  const room = Math.max(layout.main.height * 0.5, layout.main.height - margin);
  const tickHeight = bounded(room / ticks, TICK_HEIGHT_MIN, FIT_TICK_HEIGHT_MAX);
  return { ...window, middle: (high + low + 1) / 2, tickHeight };
}

/** A part of the way from a window's prices to another's; at the last pixel, the other itself. */
export function eased(window: ViewWindow, target: ViewWindow, share: number): ViewWindow {
  const tickHeight = window.tickHeight + (target.tickHeight - window.tickHeight) * share;
  const middle = window.middle + (target.middle - window.middle) * share;
  const isThere =
    share >= 1 ||
    (Math.abs(target.tickHeight - tickHeight) < target.tickHeight * 0.002 &&
      Math.abs(target.middle - middle) * target.tickHeight < 0.4);
  return isThere
    ? { ...window, tickHeight: target.tickHeight, middle: target.middle }
    : { ...window, tickHeight, middle };
}

/** Some bars stay on screen. */
export function clamped(window: ViewWindow, layout: Plot, count: number): ViewWindow {
  const span = layout.plotWidth / window.columnWidth;
  const least = Math.min(KEPT_COLUMNS, count, span / 2);
  const right = bounded(window.right, least, count + span * FUTURE_SHARE);
  return right === window.right ? window : { ...window, right };
}

/** After older columns were put in front: the picture stays. */
export function shifted(window: ViewWindow, columns: number): ViewWindow {
  return { ...window, right: window.right + columns };
}

/** The newest bar at the right edge. */
export function atEnd(window: ViewWindow, count: number): ViewWindow {
  return { ...window, right: count + END_COLUMNS };
}

/** Whether a new bar should move the picture: the newest one is on screen. */
export function isAtEnd(window: ViewWindow, count: number): boolean {
  return window.right >= count - 1;
}

/** The columns on screen: [from, to). */
export function shownColumns(
  window: ViewWindow,
  layout: Pick<ChartLayout, 'plotWidth'>,
  count: number,
): readonly [from: number, to: number] {
  const left = window.right - layout.plotWidth / window.columnWidth;
  const from = bounded(Math.floor(left), 0, count);
  return [from, bounded(Math.ceil(window.right), from, count)];
}

/** The left edge of a column. */
export function xOf(
  window: ViewWindow,
  layout: Pick<ChartLayout, 'plotWidth'>,
  column: number,
): number {
  return layout.plotWidth - (window.right - column) * window.columnWidth;
}

/** The column under a pixel, with the fraction of its width; outside of the bars too. */
export function placeAtX(
  window: ViewWindow,
  layout: Pick<ChartLayout, 'plotWidth'>,
  x: number,
): number {
  return window.right - (layout.plotWidth - x) / window.columnWidth;
}

export function columnAtX(
  window: ViewWindow,
  layout: Pick<ChartLayout, 'plotWidth'>,
  x: number,
): number {
  return Math.floor(placeAtX(window, layout, x));
}

/** The lower edge of a price; `ticks + 0.5` is its middle, `ticks + 1` its upper edge. */
export function yOf(window: ViewWindow, layout: Pick<ChartLayout, 'main'>, ticks: number): number {
  return centreOf(layout) - (ticks - window.middle) * window.tickHeight;
}

/** The price at a height, with the fraction of its tick: `Math.floor` is the price. */
export function ticksAtY(window: ViewWindow, layout: Pick<ChartLayout, 'main'>, y: number): number {
  return window.middle - (y - centreOf(layout)) / window.tickHeight;
}

/** The column of an instant, with the elapsed part of it. Beyond the bars it goes on in columns of usual length. */
export function placeOfNs(bars: BarSeries, ns: bigint): number {
  const { columns } = bars;
  const { length } = columns;
  if (length === 0) return 0;
  const at = bars.columnAt(ns);
  if (at < 0) return -Number(columns[0]!.fromNs - ns) / usualColumnNs(bars);
  const { fromNs } = columns[at]!;
  const next = columns[at + 1]?.fromNs;
  const span = next === undefined ? usualColumnNs(bars) : Math.max(1, Number(next - fromNs));
  const elapsed = Number(ns - fromNs) / span;
  return at + (next === undefined ? elapsed : Math.min(1, elapsed));
}

export function xOfNs(
  window: ViewWindow,
  layout: Pick<ChartLayout, 'plotWidth'>,
  bars: BarSeries,
  ns: bigint,
): number {
  return xOf(window, layout, placeOfNs(bars, ns));
}

/** The instant at a place of `placeAtX`. */
export function nsOfPlace(bars: BarSeries, place: number): bigint {
  const { columns } = bars;
  const { length } = columns;
  if (length === 0) return 0n;
  const usual = usualColumnNs(bars);
  const at = bounded(Math.floor(place), 0, length - 1);
  const { fromNs } = columns[at]!;
  const next = columns[at + 1]?.fromNs;
  const isInside = place >= 0 && next !== undefined;
  const span = isInside ? Number(next - fromNs) : usual;
  return fromNs + BigInt(Math.round((place - at) * span));
}

/** How long a column is, about: the median of the newest ones. */
export function usualColumnNs({ columns }: BarSeries): number {
  const newest = columns.slice(-12);
  const spans: number[] = [];
  for (let at = 1; at < newest.length; at += 1) {
    const span = Number(newest[at]!.fromNs - newest[at - 1]!.fromNs);
    if (span > 0) spans.push(span);
  }
  spans.sort((a, b) => a - b);
  const only = newest.at(-1);
  const alone = only === undefined ? 0 : Number(only.endNs - only.fromNs);
  return Math.max(1, spans[spans.length >> 1] ?? alone);
}

function centreOf({ main }: Pick<ChartLayout, 'main'>): number {
  return main.y + main.height / 2;
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
