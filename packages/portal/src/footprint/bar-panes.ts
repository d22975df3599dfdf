/**
 * The bars of a footprint chart, readable without colour. The side is a position as well as a colour: bid left, ask
 * right. An imbalance is solid and bold, the point of control has an outline and a wedge, the value area a bracket. A
 * candle is hollow if it rose, and a large trade is a disc of its size.
 */

import {
  type Batch,
  cells,
  countText,
  lines,
  type PlacedBar,
  type ScenePicture,
  signedText,
  Tones,
  words,
} from './chart-batch.ts';
import type { ChartGeometry, PriceScale } from './chart-geometry.ts';
import type { ChartBar, ChartLevel } from './chart-model.ts';

const OUTSIDE_VALUE = 0.42;
const GLOW = 0.3;
const DISC_RADIUS_MAX = { wide: 13, narrow: 9 };
const DISC_SCALE = { wide: 0.48, narrow: 0.36 };
const DISC_TEXT_FROM = 9;

export function cellBatches(
  picture: ScenePicture,
  scale: PriceScale,
  bars: readonly PlacedBar[],
): Batch[] {
  const { half, rowHeight, mainHeight, isNarrow, hasText } = picture.geometry;
  const most = mostOf(bars);
  const tones = new Tones();
  const solid = { ask: cells('ask'), bid: cells('bid') };
  const size = isNarrow ? 10 : 11;
  const plain = { left: words('ink', size, 480, 'left'), right: words('ink', size, 480, 'right') };
  const muted = {
    left: words('muted', size, 480, 'left'),
    right: words('muted', size, 480, 'right'),
  };
  const bold = {
    ask: words('on-ask', size, 680, 'left'),
    bid: words('on-bid', size, 680, 'right'),
  };
  for (const { bar, left } of bars) {
    for (const level of bar.levels) {
      const top = scale.rowTop(level.row);
      if (top < -rowHeight || top > mainHeight) continue;
      const isInValue = isInside(bar, level);
      for (const side of [-1, 1] as const) {
        const [dye, lots, isStrong] = sideOf(level, side);
        const x = side < 0 ? left : left + half;
        const rect = [x + 0.5, top + 0.5, half - 1, rowHeight - 1] as const;
        const glow = bar.isFinal ? 0 : picture.glow(level.row, side);
        const heat = Math.sqrt(lots / most) * (isInValue ? 1 : OUTSIDE_VALUE);
        if (isStrong) solid[dye].rects.push(...rect);
        else tones.add(dye, Math.min(1, heat + glow * GLOW), rect);
        const place = side < 0 ? 'right' : 'left';
        const text = isStrong ? bold[dye] : (isInValue ? plain : muted)[place];
        text.words.push([left + half + side * 6, top + rowHeight / 2 + 0.5, String(lots)]);
      }
    }
  }
  const texts = [plain.left, plain.right, muted.left, muted.right, bold.ask, bold.bid];
  return [...tones.all, solid.ask, solid.bid, ...(hasText ? texts : [])];
}

/** Point of control and value area. */
export function markBatches(
  { geometry }: ScenePicture,
  scale: PriceScale,
  bars: readonly PlacedBar[],
): Batch[] {
  const { half, rowHeight } = geometry;
  const outlines: number[] = [];
  const wedges: number[][] = [];
  const brackets: number[][] = [];
  for (const { bar, left } of bars) {
    const { poc, vah, val } = bar;
    if (poc === null || vah === null || val === null) continue;
    const right = left + half * 2;
    const top = scale.rowTop(poc);
    const middle = top + rowHeight / 2;
    outlines.push(left - 0.25, top - 0.25, half * 2 + 0.5, rowHeight + 0.5);
    wedges.push([right + 2.5, middle, right + 7, middle - 4, right + 7, middle + 4]);
    const x = right + 4.5;
    const [upper, lower] = [scale.rowTop(vah) + 1, scale.rowTop(val) + rowHeight - 1];
    // The bracket leaves a gap for the wedge.
    if (upper < middle - 6) brackets.push([x - 2.5, upper, x, upper, x, middle - 6]);
    if (lower > middle + 6) brackets.push([x, middle + 6, x, lower, x - 2.5, lower]);
  }
  return [
    { ...lines('neutral', 1, 1.5), lines: brackets },
    { kind: 'outlines', dye: 'ink', lineWidth: 1.5, radius: 3, rects: outlines },
    { kind: 'shapes', dye: 'ink', alpha: 1, shapes: wedges },
  ];
}

/** Hollow if it rose, filled if it fell, so that it reads without colour. */
export function candleBatches(
  { isNarrow }: ChartGeometry,
  scale: PriceScale,
  bars: readonly PlacedBar[],
): Batch[] {
  const wicks = { ask: lines('ask', 1, 1.25), bid: lines('bid', 1, 1.25) };
  const hollow: number[] = [];
  const filled: number[] = [];
  for (const { bar, left } of bars) {
    const x = candleX(left, isNarrow);
    const rose = bar.close >= bar.open;
    const top = scale.priceY(Math.max(bar.open, bar.close));
    const bottom = Math.max(top + 2, scale.priceY(Math.min(bar.open, bar.close)));
    const wick = wicks[rose ? 'ask' : 'bid'].lines;
    wick.push([x, scale.priceY(bar.high), x, top], [x, bottom, x, scale.priceY(bar.low)]);
    (rose ? hollow : filled).push(x - 2.5, top, 5, bottom - top);
  }
  return [
    wicks.ask,
    wicks.bid,
    { ...cells('ground'), radius: 1, rects: hollow },
    { kind: 'outlines', dye: 'ask', lineWidth: 1.25, radius: 1, rects: hollow },
    { ...cells('bid'), radius: 1, rects: filled },
    { kind: 'outlines', dye: 'bid', lineWidth: 1.25, radius: 1, rects: filled },
  ];
}

/** A disc's area is the size of the trade. The largest are painted first. */
export function discBatches(
  { isNarrow, mainHeight }: ChartGeometry,
  scale: PriceScale,
  bars: readonly PlacedBar[],
): Batch[] {
  const form = isNarrow ? 'narrow' : 'wide';
  const all = bars.flatMap(({ bar, left }) =>
    bar.large.map((trade) => ({
      dye: trade.side > 0 ? ('ask' as const) : ('bid' as const),
      x: candleX(left, isNarrow),
      y: scale.priceY(trade.ticks),
      radius: Math.min(DISC_RADIUS_MAX[form], Math.sqrt(trade.size) * DISC_SCALE[form]),
      size: trade.size,
    })),
  );
  const discs: Batch[] = [];
  const sizes = words('ink', 9, 640, 'center');
  for (const { dye, x, y, radius, size } of all.sort((a, b) => b.size - a.size)) {
    if (y < 0 || y > mainHeight) continue;
    discs.push({ kind: 'discs', dye, discs: [x, y, radius] });
    if (radius >= DISC_TEXT_FROM) sizes.words.push([x, y + 0.5, String(size)]);
  }
  return [...discs, sizes];
}

/** Below each bar its delta, signed and tinted, and its volume. */
export function deltaBatches(geometry: ChartGeometry, bars: readonly PlacedBar[]): Batch[] {
  const { width, height, deltaTop, half } = geometry;
  const most = Math.max(1, ...bars.map(({ bar }) => Math.abs(bar.delta)));
  const tones = new Tones();
  const deltas = words('ink', 11, 620, 'center');
  const volumes = words('muted', 11, 450, 'center');
  for (const { bar, left } of bars) {
    const dye = bar.delta >= 0 ? 'ask' : 'bid';
    const heat = 0.08 + 0.8 * (Math.abs(bar.delta) / most);
    tones.add(dye, heat, [left + 0.5, deltaTop + 5, half * 2 - 1, 18]);
    deltas.words.push([left + half, deltaTop + 14.5, signedText(bar.delta)]);
    volumes.words.push([left + half, deltaTop + 33.5, countText(bar.volume)]);
  }
  return [
    // Covers what extends below the pane of the bars.
    { ...cells('ground'), rects: [0, deltaTop, width, height - deltaTop] },
    { ...cells('line'), rects: [0, deltaTop, width, 1] },
    ...tones.all,
    deltas,
    volumes,
  ];
}

function candleX(left: number, isNarrow: boolean): number {
  return left - (isNarrow ? 9 : 13.5);
}

function mostOf(bars: readonly PlacedBar[]): number {
  let most = 1;
  for (const { bar } of bars) {
    for (const { bid, ask } of bar.levels) most = Math.max(most, bid, ask);
  }
  return most;
}

function isInside({ vah, val }: ChartBar, { row }: ChartLevel): boolean {
  return vah !== null && val !== null && row >= val && row <= vah;
}

function sideOf(
  level: ChartLevel,
  side: -1 | 1,
): readonly [dye: 'ask' | 'bid', lots: number, isStrong: boolean] {
  return side < 0 ? ['bid', level.bid, level.isBidStrong] : ['ask', level.ask, level.isAskStrong];
}
