/**
 * A dragged range: its profile in both dyes from its left edge, its own VWAP, point of control and value area in
 * indigo. All of it is summed from the levels of its bars.
 */

import type { Column } from '../series/chart-bar.ts';
import {
  type RangeRules,
  type RangeSum,
  rangeSum,
  type VwapPoint,
  vwapPath,
} from '../series/range.ts';
import type { Frame } from './frame.ts';
import { plate, pushApart } from './plates.ts';
import type { ColumnRange } from './scene-types.ts';
import { paint, segment } from './shapes.ts';

const GROUND = 0.45;
const TINT = 0.07;
const INSIDE = 0.75;
const OUTSIDE = 0.35;
const PROFILE = { share: 0.5, least: 50, most: 220 };
const HANDLE = { width: 7, height: 28 };
/** Rows of a range are at least so high; where ticks are higher, a row is a tick. */
const ROW_PX_MIN = 0.5;
const NAME = { align: 'right', dye: 'accent', size: 10.5, weight: 580 } as const;

export function paintRangeBox(frame: Frame, range: ColumnRange): void {
  const { shapes, layout } = frame;
  const from = Math.max(0, range.from);
  const to = Math.min(frame.columns.length, range.to);
  if (to <= from) return;
  const [left, right] = [frame.x(from), frame.x(to)];
  if (right < 0 || left > layout.plotWidth) return;
  const { height } = layout.main;
  shapes.rect(paint('ground', GROUND), left, 0, right - left, height);
  shapes.rect(paint('accent', TINT), left, 0, right - left, height);
  const { sum, path } = sumsOf(frame, from, to);
  paintProfile(frame, sum, left, right);
  paintNames(frame, sum, path, left, right);
  const edges = shapes.rects(paint('accent'));
  edges.add4(Math.round(left) - 1, 0, 1.5, height);
  edges.add4(Math.round(right), 0, 1.5, height);
  const handles = shapes.rects(paint('accent'), HANDLE.width / 2);
  for (const x of [left, right]) {
    handles.add4(x - HANDLE.width / 2, (height - HANDLE.height) / 2, HANDLE.width, HANDLE.height);
  }
}

interface Sums {
  readonly sum: RangeSum;
  readonly path: readonly VwapPoint[];
}

interface Kept extends Sums {
  readonly first: Column;
  readonly last: Column;
  readonly count: number;
  readonly rules: RangeRules;
}

/** The newest ranges: a dragged one and kept ones are asked in every frame. */
const kept: Kept[] = [];
const KEPT_MAX = 8;

/** Of columns [from, to); with the rows of the profile. */
function sumsOf({ columns, input, window }: Frame, from: number, to: number): Sums {
  const { valueArea, pocTie } = input.spec.rules;
  const group = Math.max(1, Math.ceil(ROW_PX_MIN / window.tickHeight));
  const [first, last, count] = [columns[from]!, columns[to - 1]!, to - from];
  const known = kept.find(
    (it) =>
      it.first === first &&
      it.last === last &&
      it.count === count &&
      it.rules.group === group &&
      it.rules.valueArea === valueArea &&
      it.rules.pocTie === pocTie,
  );
  if (known !== undefined) return known;
  const rules = { group, valueArea, pocTie };
  const sum = rangeSum(columns, from, to, rules);
  const path = vwapPath(columns, from, to);
  kept.unshift({ first, last, count, rules, sum, path });
  kept.length = Math.min(kept.length, KEPT_MAX);
  return { sum, path };
}

function paintProfile(frame: Frame, sum: RangeSum, left: number, right: number): void {
  const { shapes, layout } = frame;
  const { levels, maxVolume, poc, vah, val } = sum;
  if (poc === null || vah === null || val === null || maxVolume === 0) return;
  const width = Math.min(PROFILE.most, Math.max(PROFILE.least, (right - left) * PROFILE.share));
  const inside = {
    bid: shapes.rects(paint('bid', INSIDE)),
    ask: shapes.rects(paint('ask', INSIDE)),
  };
  const outside = {
    bid: shapes.rects(paint('bid', OUTSIDE)),
    ask: shapes.rects(paint('ask', OUTSIDE)),
  };
  const pocs = shapes.frames(paint('ink'), 1.25);
  const gap = levels.group * frame.window.tickHeight >= 3.5 ? 1 : 0;
  for (let at = 0; at < levels.count; at += 1) {
    const price = levels.price[at]!;
    const top = Math.round(frame.y(price + levels.group));
    const bottom = Math.round(frame.y(price));
    if (bottom < 0 || top > layout.main.height) continue;
    const height = Math.max(1, bottom - top - gap);
    const perLot = width / maxVolume;
    const [bid, ask] = [levels.bid[at]!, levels.ask[at]!];
    const length = (bid + ask + levels.unknown[at]!) * perLot;
    const into = price >= val && price <= vah ? inside : outside;
    into.bid.add4(left + 1, top, bid * perLot, height);
    into.ask.add4(left + 1 + bid * perLot, top, ask * perLot, height);
    if (price === poc)
      pocs.add4(left + 1.5, top + 0.5, Math.max(2, length - 1), Math.max(1, height - 1));
    frame.mark('range', 'row', '', { price, bid, ask }, left, top);
  }
}

function paintNames(
  frame: Frame,
  sum: RangeSum,
  path: readonly VwapPoint[],
  left: number,
  right: number,
): void {
  const { shapes } = frame;
  const { poc, vah, val, levels, vwap } = sum;
  if (poc === null || vah === null || val === null || path.length === 0) return;
  const accent = paint('accent');
  const dotted = shapes.lines(accent, 1, [1, 3]);
  const dashed = shapes.lines(accent, 1.25, [4, 2]);
  const names = [
    { name: 'VAH', y: frame.y(vah + levels.group), lines: dotted },
    { name: 'POC', y: frame.y(poc + levels.group / 2), lines: dashed },
    { name: 'VAL', y: frame.y(val), lines: dotted },
  ];
  for (const { y, lines } of names) {
    const at = Math.round(y) + 0.5;
    segment(lines, left, at, right, at);
  }
  for (const [dye, width] of [
    ['ground', 4],
    ['accent', 2],
  ] as const) {
    const { points, ends } = shapes.lines(paint(dye), width);
    for (const point of path) points.add2(frame.middleX(point.column), frame.priceY(point.vwap));
    ends.add(points.count);
  }
  const all = [...names, { name: 'VWAP', y: frame.priceY(vwap) }];
  pushApart(all, frame.text(18), { top: 10, bottom: frame.layout.main.height - 10 });
  for (const { name, y } of all) plate(frame, right - 4, y, name, NAME);
  const { volume, delta, bid, ask, trades, bars } = sum;
  const numbers = { poc, vah, val, vwap, volume, delta, bid, ask, trades, bars };
  frame.mark('range', 'sum', '', numbers, left, 0);
}
