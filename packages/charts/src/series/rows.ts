/**
 * The rows of a bar at any number of ticks, with its point of control, value area, imbalances and stacks: those of the
 * service's footprint of that group. Rows are dense, so a painter finds a price without a search.
 */

import { imbalances } from '@tapeloom/core/studies/imbalance';
import { pocIndex } from '@tapeloom/core/studies/poc';
import { valueArea } from '@tapeloom/core/studies/value-area';
import type { CellRules } from '../spec/chart-spec.ts';
import type { ChartBar, Levels } from './chart-bar.ts';
import { PriceLevels } from './price-levels.ts';

/** A bar that would have more rows gets rows of more ticks; such a jump of the price cannot be shown anyway. */
export const ROWS_MAX = 65_536;
/** Groups and rules that a bar is kept in: the present ones and those before a change. */
const KEPT_MAX = 2;

export const BUY = 1;
export const SELL = 2;

export interface Stack {
  readonly side: 1 | -1;
  /** Its lowest and its highest row, both included. */
  readonly from: number;
  readonly to: number;
}

export interface Rows {
  /** Ticks per row. If the service's rows or `ROWS_MAX` do not permit the group asked for, the next that they permit. */
  readonly group: number;
  /** The lowest price of row 0, in ticks. */
  readonly first: number;
  readonly count: number;
  /** Lots by row; 0 where nothing traded. */
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  readonly unknown: Float64Array;
  /** Rows of the point of control and the edges of the value area; -1 without rows. */
  readonly poc: number;
  readonly vah: number;
  readonly val: number;
  /**
   * False: the tie rule is `first`, several rows have the most volume, and their order in time is not known after
   * regrouping. Then `centre` decides.
   */
  readonly isPocSure: boolean;
  /** By row: `BUY`, `SELL`, both or neither. */
  readonly imbalance: Uint8Array;
  /** Ascending by their lowest row. */
  readonly stacks: readonly Stack[];
  /** Lots of all rows. */
  readonly total: number;
  /** The most lots of one side of a row, of a row, and the greatest |ask − bid| of a row. */
  readonly maxSide: number;
  readonly maxVolume: number;
  readonly maxDelta: number;
  /** A finished bar ended while both sides traded at its highest or its lowest price. */
  readonly isUnfinishedHigh: boolean;
  readonly isUnfinishedLow: boolean;
}

interface Kept {
  readonly group: number;
  readonly rules: CellRules;
  readonly rows: Rows;
}

const kept = new WeakMap<ChartBar, Kept[]>();
/** The traded rows of the bar under construction. */
const scratch = new PriceLevels(1);

/**
 * Computed once per bar, group and rules: a bar never changes, its newer version is another bar. If the rules break ties
 * by `first`, the bars must be footprints that do so too.
 */
export function rowsOf(bar: ChartBar, group: number, rules: CellRules): Rows {
  const known = kept.get(bar);
  if (known !== undefined) {
    for (const entry of known) {
      if (entry.group === group && isSameRules(entry.rules, rules)) return entry.rows;
    }
  }
  const rows = freshRows(bar, group, rules);
  kept.set(bar, [{ group, rules, rows }, ...(known ?? []).slice(0, KEPT_MAX - 1)]);
  return rows;
}

/** The ticks per row that rows of at least `group` ticks can have, if the service's have `from` and `span` is shown. */
export function groupOver(from: number, group: number, span: number): number {
  const least = Math.max(group, span / ROWS_MAX);
  return from * Math.ceil(least / from);
}

function isSameRules(a: CellRules, b: CellRules): boolean {
  if (a === b) return true;
  return (
    a.ratio === b.ratio &&
    a.minVolume === b.minVolume &&
    a.zero === b.zero &&
    a.valueArea === b.valueArea &&
    a.pocTie === b.pocTie &&
    a.stack === b.stack
  );
}

function freshRows(bar: ChartBar, asked: number, rules: CellRules): Rows {
  const { levels } = bar;
  const span =
    levels === null || levels.count === 0 ? 0 : levels.price[levels.count - 1]! - levels.price[0]!;
  const group = groupOver(levels?.group ?? 1, asked, span);
  const traded = regrouped(levels, group);
  const { poc, isSure } = pocOf(traded, levels, rules);
  const [val, vah] = poc < 0 ? [-1, -1] : valueArea(traded, poc, rules.valueArea);
  const first = traded.count === 0 ? Math.floor(bar.low / group) * group : traded.price[0]!;
  const rowOf = (index: number) => (index < 0 ? -1 : (traded.price[index]! - first) / group);
  const dense = denseRows(traded, first);
  const marks = marksOf(traded, first, dense.count, rules);
  return {
    group,
    first,
    ...dense,
    poc: rowOf(poc),
    vah: rowOf(vah),
    val: rowOf(val),
    isPocSure: isSure,
    ...marks,
    isUnfinishedHigh: isUnfinished(bar, -1),
    isUnfinishedLow: isUnfinished(bar, 0),
  };
}

function regrouped(levels: Levels | null, group: number): PriceLevels {
  scratch.clear(group);
  if (levels !== null) scratch.append(levels);
  return scratch;
}

function pocOf(rows: PriceLevels, levels: Levels | null, { pocTie }: CellRules) {
  if (pocTie !== 'first') return { poc: pocIndex(rows, pocTie), isSure: true };
  const poc = pocIndex(rows, 'lowest');
  if (poc === pocIndex(rows, 'highest')) return { poc, isSure: true };
  const first = levels?.group === rows.group ? (levels.poc ?? null) : null;
  if (first !== null) return { poc: rows.find(first), isSure: true };
  return { poc: pocIndex(rows, 'centre'), isSure: false };
}

function denseRows(traded: PriceLevels, first: number) {
  const { group } = traded;
  const count = traded.count === 0 ? 0 : (traded.price[traded.count - 1]! - first) / group + 1;
  const [bid, ask, unknown] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  let [total, maxSide, maxVolume, maxDelta] = [0, 0, 0, 0];
  for (let at = 0; at < traded.count; at += 1) {
    const row = (traded.price[at]! - first) / group;
    const [sold, bought, lots] = [traded.bid[at]!, traded.ask[at]!, traded.total[at]!];
    bid[row] = sold;
    ask[row] = bought;
    unknown[row] = traded.unknown[at]!;
    total += lots;
    maxSide = Math.max(maxSide, sold, bought);
    maxVolume = Math.max(maxVolume, lots);
    maxDelta = Math.max(maxDelta, Math.abs(bought - sold));
  }
  return { count, bid, ask, unknown, total, maxSide, maxVolume, maxDelta };
}

function marksOf(traded: PriceLevels, first: number, count: number, rules: CellRules) {
  const imbalance = new Uint8Array(count);
  const rule = {
    ratioHundredths: Math.round(rules.ratio * 100),
    minVolume: rules.minVolume,
    zeroCounts: rules.zero === 'count',
  };
  const runs: { side: 1 | -1; from: number; to: number }[] = [];
  const growing = new Map<number, { side: 1 | -1; from: number; to: number }>();
  for (const [price, side] of imbalances(traded, rule)) {
    const row = (price - first) / traded.group;
    imbalance[row]! |= side === 1 ? BUY : SELL;
    const run = growing.get(side);
    if (run?.to === row - 1) run.to = row;
    else {
      const begun = { side: side === 1 ? (1 as const) : (-1 as const), from: row, to: row };
      growing.set(side, begun);
      runs.push(begun);
    }
  }
  return { imbalance, stacks: runs.filter(({ from, to }) => to - from + 1 >= rules.stack) };
}

/** Of the service's levels, since rows of several ticks would add their neighbours. */
function isUnfinished({ isFinal, levels }: ChartBar, end: 0 | -1): boolean {
  if (!isFinal || levels === null || levels.count === 0 || levels.group !== 1) return false;
  const at = end === 0 ? 0 : levels.count - 1;
  return levels.bid[at]! > 0 && levels.ask[at]! > 0;
}
