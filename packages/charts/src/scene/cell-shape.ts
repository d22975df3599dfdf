/**
 * How bars are drawn at a width: candles, a weave of tone, or numbers, each fading into the next. Numbers stay as long
 * as the widest one on screen fits; ticks are grouped so that rows stay high enough.
 */

import type { Column } from '../series/chart-bar.ts';
import { type Rows, rowsOf } from '../series/rows.ts';
import type { ChartSpec, Look } from '../spec/chart-spec.ts';
import type { CellShape } from './scene-types.ts';
import type { ViewWindow } from './window.ts';

/** The most lots on screen, by which tones and lengths are measured. */
export interface Most {
  readonly side: number;
  readonly volume: number;
  readonly delta: number;
}

interface ShapedCells {
  readonly cell: CellShape;
  readonly most: Most;
}

/** Narrower bars are candles only; cells fade in over the next few pixels. */
const WEAVE_FROM = 17;
const WEAVE_FULL = 20;
const ROW_MIN = { numbers: 14, weave: 4, any: 1.5 };
/** Rows that were grouped by hand keep their numbers down to this height. */
const HAND_ROW_MIN = 13;
const ROW_MIN_LARGE_TEXT = 20;
const FADE_PX = 6;
const DIGITS_MIN = 3;
/** Of a figure of 10 px, and what a cell needs around it. */
const FIGURE_PX = 6.45;
const FIGURE_PADDING = 9;
const TEXT = { least: 9.5, most: 13, ofRow: 0.72, widthOfFigure: 0.665 };
const SMALL_STEPS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50];
const LARGE_STEPS = [1, 2, 4, 5];

interface Place {
  readonly window: ViewWindow;
  readonly spec: ChartSpec;
  readonly textScale: number;
  readonly columns: readonly Column[];
  /** On screen: [from, to). */
  readonly from: number;
  readonly to: number;
}

export function cellShape(place: Place): ShapedCells {
  const { window, spec, textScale } = place;
  const width = window.columnWidth;
  const base = levelsGroup(place);
  const isCandles = spec.look === 'candles' || base === null;
  const weave = isCandles ? 0 : unit((width - WEAVE_FROM) / (WEAVE_FULL - WEAVE_FROM));
  const parts = partsOf(width, spec.look);
  if (weave === 0 || base === null) {
    const group = groupFor(spec.group, window.tickHeight, ROW_MIN.weave, base ?? 1);
    return { cell: shape(parts, 'candles', weave, 0, group, window, TEXT.least), most: NOTHING };
  }
  const growth = 1 + (textScale - 1) * (ROW_MIN_LARGE_TEXT / ROW_MIN.numbers - 1);
  const withNumbers = numbersOf(place, parts, base, growth);
  if (withNumbers !== null) return withNumbers;
  const group = groupFor(spec.group, window.tickHeight, ROW_MIN.weave, base);
  const most = mostOf(place, group);
  return { cell: shape(parts, 'weave', weave, 0, group, window, TEXT.least), most };
}

/** The next group, whose rows are at least so high. */
export function autoGroup(tickHeight: number, rowMin: number, base = 1): number {
  const least = rowMin / tickHeight / base;
  const small = SMALL_STEPS.find((step) => step >= least);
  if (small !== undefined) return small * base;
  for (let unitOfSteps = 100; unitOfSteps < 1e12; unitOfSteps *= 10) {
    const step = LARGE_STEPS.find((each) => each * unitOfSteps >= least);
    if (step !== undefined) return step * unitOfSteps * base;
  }
  return Math.ceil(least) * base;
}

/** A group by hand stays as long as its rows can be seen at all. */
function groupFor(
  wanted: number | 'auto',
  tickHeight: number,
  rowMin: number,
  base: number,
): number {
  if (wanted === 'auto') return autoGroup(tickHeight, rowMin, base);
  const group = base * Math.max(1, Math.ceil(wanted / base));
  return autoGroup(tickHeight, ROW_MIN.any, group);
}

/** The cells if numbers fit, at least faintly. */
function numbersOf(place: Place, parts: Parts, base: number, growth: number): ShapedCells | null {
  const { window, spec } = place;
  const room = spec.look === 'bidask' || spec.look === 'two' ? parts.half : parts.inner * 0.66;
  const share = (digits: number) =>
    unit((room - (digits * FIGURE_PX * growth + FIGURE_PADDING)) / FADE_PX + 1);
  if (share(DIGITS_MIN) === 0) return null;
  const rowMin = spec.group === 'auto' ? ROW_MIN.numbers * growth : HAND_ROW_MIN * growth;
  const group = groupFor(spec.group, window.tickHeight, rowMin, base);
  const rowHeight = group * window.tickHeight;
  if (rowHeight < rowMin) return null;
  const most = mostOf(place, group);
  const digits = Math.max(DIGITS_MIN, figuresOf(most, spec.look));
  const numbers = share(digits);
  if (numbers === 0) return null;
  const isHalf = spec.look === 'bidask' || spec.look === 'two';
  const textRoom = isHalf ? parts.half - 8 : parts.inner * 0.62;
  const fitting = Math.min(rowHeight * TEXT.ofRow, textRoom / (digits * TEXT.widthOfFigure));
  const size = Math.min(TEXT.most * growth, Math.max(TEXT.least, fitting));
  return { cell: shape(parts, 'numbers', 1, numbers, group, window, size), most };
}

interface Parts {
  readonly gutter: number;
  readonly tail: number;
  readonly inner: number;
  readonly half: number;
}

function partsOf(width: number, look: Look): Parts {
  const gutter = Math.min(26, Math.max(3, width * 0.2));
  const tail = Math.min(12, Math.max(2, width * 0.09));
  const inner = Math.max(1, width - gutter - tail);
  return { gutter, tail, inner, half: look === 'two' ? (inner - TWO_GAP) / 3 : inner / 2 };
}

/** Between the cells and the bars of volume. */
export const TWO_GAP = 5;

function shape(
  parts: Parts,
  kind: CellShape['kind'],
  weave: number,
  numbers: number,
  group: number,
  { tickHeight }: ViewWindow,
  textSize: number,
): CellShape {
  return { kind, weave, numbers, ...parts, group, rowHeight: group * tickHeight, textSize };
}

const NOTHING: Most = { side: 1, volume: 1, delta: 1 };

function mostOf({ columns, from, to, spec }: Place, group: number): Most {
  let [side, volume, delta] = [1, 1, 1];
  for (let at = from; at < to; at += 1) {
    const column = columns[at]!;
    if (column.kind === 'gap' || column.levels === null) continue;
    const rows: Rows = rowsOf(column, group, spec.rules);
    if (rows.maxSide > side) side = rows.maxSide;
    if (rows.maxVolume > volume) volume = rows.maxVolume;
    if (rows.maxDelta > delta) delta = rows.maxDelta;
  }
  return { side, volume, delta };
}

/** The width of the widest number, in figures. */
function figuresOf({ side, volume, delta }: Most, look: Look): number {
  if (look === 'delta') return figures(delta) + 1;
  return figures(look === 'bidask' ? side : volume);
}

/** From 10,000 on numbers are shortened: 12.4k is a little wider than four figures, 1.24M than 12.4k. */
function figures(most: number): number {
  if (most < 10_000) return String(Math.round(most)).length;
  return most < 1_000_000 ? 4.3 : 4.8;
}

/** Ticks per row of the service's levels; null: no bar on screen has levels. */
function levelsGroup({ columns, from, to }: Place): number | null {
  let group: number | null = null;
  for (let at = from; at < to; at += 1) {
    const column = columns[at]!;
    if (column.kind === 'bar' && column.levels !== null) {
      group = Math.max(group ?? 1, column.levels.group);
    }
  }
  return group;
}

function unit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
