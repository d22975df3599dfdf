/**
 * Where the parts of a chart are: plot with strip and panes below it, the side profile, the axes. It depends on the
 * size, the size of the text and the length of the prices only, so nothing moves while one pans.
 */

import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec, Pane } from '../spec/chart-spec.ts';
import type { Rect } from './batch.ts';
import { priceText } from './number-text.ts';
import { textWidth } from './text-width.ts';

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

interface PanePlace {
  readonly pane: Pane;
  readonly rect: Rect;
}

export interface ChartLayout {
  readonly size: ChartSize;
  /** A phone. */
  readonly isNarrow: boolean;
  /** A small chart, as in a grid. */
  readonly isCompact: boolean;
  readonly textScale: number;
  /** Bars, strip, panes and the time axis are this wide, from x = 0. */
  readonly plotWidth: number;
  /** The bars. */
  readonly main: Rect;
  /** Delta, volume, bid and ask of each bar. */
  readonly strip: Rect | null;
  readonly stripRows: number;
  readonly stripRowHeight: number;
  readonly panes: readonly PanePlace[];
  /** Of the profile or the letters; null: none. */
  readonly side: Rect | null;
  /** Beside the bars. */
  readonly priceAxis: Rect;
  /** Right of strip and panes: their names and values. */
  readonly names: Rect;
  /** The whole width. */
  readonly timeAxis: Rect;
}

/** Narrower charts are laid out for a phone. */
const NARROW_BELOW = 560;
/** Lower charts show two rows of numbers and lower panes. */
const COMPACT_BELOW = 560;
const TALL_FROM = 760;
const MAIN_MIN = 120;
const SIDE = { from: 900, wide: 112, small: 84 };
const PANE = { tall: 80, usual: 68, narrow: 64, compact: 58 };
const STRIP_PADDING = 10;
const AXIS_TEXT = 12;
/** Text of 200 % needs rows of 20 px, so rows grow by less than the text. */
const ROW_GROWTH = 0.18;

export function chartLayout(
  size: ChartSize,
  spec: ChartSpec,
  content: ChartContent,
  textScale = 1,
): ChartLayout {
  const { width, height } = size;
  const isNarrow = width < NARROW_BELOW;
  const isCompact = height < COMPACT_BELOW;
  const growth = 1 + (textScale - 1) * ROW_GROWTH;
  const axisWidth = axisWidthOf(content, isNarrow, textScale);
  const sideWidth = spec.side === 'none' || isNarrow ? 0 : sideWidthOf(width);
  const plotWidth = Math.max(40, width - axisWidth - sideWidth);
  const timeHeight = Math.round((isNarrow ? 24 : 26) * growth);
  let bottom = height - timeHeight;
  const timeAxis = { x: 0, y: bottom, width, height: timeHeight };
  const paneHeight = isNarrow
    ? PANE.narrow
    : isCompact
      ? PANE.compact
      : height > TALL_FROM
        ? PANE.tall
        : PANE.usual;
  const wanted = isNarrow ? spec.panes.slice(-1) : spec.panes;
  const shown = wanted.slice(0, Math.max(0, Math.floor((bottom - MAIN_MIN) / paneHeight)));
  const panes: PanePlace[] = [];
  for (const pane of shown.toReversed()) {
    bottom -= paneHeight;
    panes.unshift({ pane, rect: { x: 0, y: bottom, width: plotWidth, height: paneHeight } });
  }
  const stripRowHeight = Math.round((isNarrow ? 16 : 17) * growth);
  const mostRows = isNarrow || isCompact ? Math.min(2, spec.stripRows) : spec.stripRows;
  const room = Math.floor((bottom - MAIN_MIN - STRIP_PADDING) / stripRowHeight);
  const stripRows = Math.max(0, Math.min(mostRows, room));
  const stripHeight = stripRows === 0 ? 0 : stripRows * stripRowHeight + STRIP_PADDING;
  bottom -= stripHeight;
  const strip = stripRows === 0 ? null : { x: 0, y: bottom, width: plotWidth, height: stripHeight };
  const right = width - plotWidth;
  return {
    ...{ size, isNarrow, isCompact, textScale, plotWidth, strip, stripRows, stripRowHeight, panes },
    main: { x: 0, y: 0, width: plotWidth, height: bottom },
    side: sideWidth === 0 ? null : { x: plotWidth, y: 0, width: sideWidth, height: bottom },
    priceAxis: { x: plotWidth + sideWidth, y: 0, width: right - sideWidth, height: bottom },
    names: { x: plotWidth, y: bottom, width: right, height: timeAxis.y - bottom },
    timeAxis,
  };
}

function sideWidthOf(width: number): number {
  return width < SIDE.from ? SIDE.small : SIDE.wide;
}

/** As wide as the longest price of the newest bars, so a few more digits do not move the chart. */
function axisWidthOf({ bars, instrument }: ChartContent, isNarrow: boolean, scale: number): number {
  const tick = instrument?.tickSizeNanos ?? 10_000_000;
  const last = bars.last;
  const texts = last === null ? ['0000.00'] : [last.high, last.low].map((t) => priceText(t, tick));
  const widest = Math.max(...texts.map((text) => textWidth(text, AXIS_TEXT * scale, 620)));
  return Math.max(48, Math.ceil(widest + (isNarrow ? 12 : 20)));
}
