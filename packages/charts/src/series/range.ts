/**
 * What a dragged range and a measured box hold, summed from the levels of the bars in them. Bars whose levels are
 * missing count with their totals; `isExact` says whether prices are known for all lots.
 */

import { pocIndex } from '@tapeloom/core/studies/poc';
import { valueArea } from '@tapeloom/core/studies/value-area';
import { WeightedMoments } from '@tapeloom/core/studies/weighted-moments';
import type { ChartBar, Column } from './chart-bar.ts';
import { PriceLevels } from './price-levels.ts';
import { groupOver } from './rows.ts';

const MILLION = 1_000_000;

export interface RangeSum {
  readonly bars: number;
  readonly trades: number;
  readonly volume: number;
  readonly bid: number;
  readonly ask: number;
  readonly unknown: number;
  readonly delta: number;
  /** Highest and lowest price in ticks; NaN without bars. */
  readonly high: number;
  readonly low: number;
  /** In ticks, as the indicator rounds them; NaN without levels. */
  readonly vwap: number;
  readonly deviation: number;
  /** The rows that traded. */
  readonly levels: PriceLevels;
  /** The most lots of a row. */
  readonly maxVolume: number;
  /** Prices of the point of control and the value area's edges; null without rows. */
  readonly poc: number | null;
  readonly vah: number | null;
  readonly val: number | null;
  readonly isExact: boolean;
  /** From the begin of the first bar to the end of the last, in nanoseconds. */
  readonly ns: bigint;
}

export interface RangeRules {
  /** Ticks per row of the profile; more if the levels of the bars, or a jump of the price, need it. */
  readonly group: number;
  readonly valueArea: number;
  /** `first` cannot be known of a sum; `centre` takes its place. */
  readonly pocTie: 'centre' | 'lowest' | 'highest' | 'first';
}

export interface VwapPoint {
  readonly column: number;
  readonly vwap: number;
  readonly deviation: number;
}

export interface BoxSum {
  readonly bars: number;
  readonly bid: number;
  readonly ask: number;
  readonly unknown: number;
  readonly volume: number;
  readonly delta: number;
  readonly ns: bigint;
  readonly isExact: boolean;
}

const PLAIN_RULES: RangeRules = { group: 1, valueArea: 70, pocTie: 'centre' };

/** Columns [from, to). */
export function rangeSum(
  columns: readonly Column[],
  from: number,
  to: number,
  rules = PLAIN_RULES,
): RangeSum {
  const bars = barsOf(columns, from, to);
  const [high, low] = [extreme(bars, 'high', Math.max), extreme(bars, 'low', Math.min)];
  const group = bars.reduce(
    (most, { levels }) => Math.max(most, groupOver(levels?.group ?? 1, rules.group, high - low)),
    rules.group,
  );
  const levels = new PriceLevels(group);
  const moments = new WeightedMoments();
  for (const bar of bars) addBar(bar, levels, moments);
  const pocTie = rules.pocTie === 'first' ? 'centre' : rules.pocTie;
  const poc = pocIndex(levels, pocTie);
  const [val, vah] = poc < 0 ? [-1, -1] : valueArea(levels, poc, rules.valueArea);
  const [bid, ask, unknown] = [total(bars, 'bid'), total(bars, 'ask'), total(bars, 'unknown')];
  return {
    bars: bars.length,
    trades: total(bars, 'trades'),
    ...{ bid, ask, unknown, volume: bid + ask + unknown, delta: ask - bid },
    ...{ high, low },
    ...averageOf(moments),
    levels,
    maxVolume: levels.total.subarray(0, levels.count).reduce((a, b) => Math.max(a, b), 0),
    ...{ poc: priceAt(levels, poc), vah: priceAt(levels, vah), val: priceAt(levels, val) },
    isExact: bars.every(isExactBar),
    ns: nsOf(bars),
  };
}

/** The VWAP since column `from`, after each bar of columns [from, to). */
export function vwapPath(columns: readonly Column[], from: number, to: number): VwapPoint[] {
  const moments = new WeightedMoments();
  const path: VwapPoint[] = [];
  for (let column = Math.max(0, from); column < Math.min(to, columns.length); column += 1) {
    const bar = columns[column]!;
    if (bar.kind === 'gap') continue;
    addBar(bar, null, moments);
    if (moments.lots > 0) path.push({ column, ...averageOf(moments) });
  }
  return path;
}

/**
 * Lots of columns [from, to) at prices from `lowTicks` to `highTicks`, both included. Of rows of several ticks, those
 * count that begin in the box.
 */
export function measureBox(
  columns: readonly Column[],
  from: number,
  to: number,
  lowTicks: number,
  highTicks: number,
): BoxSum {
  const bars = barsOf(columns, from, to);
  let [bid, ask, unknown] = [0, 0, 0];
  for (const { levels } of bars) {
    for (let row = 0; levels !== null && row < levels.count; row += 1) {
      if (levels.price[row]! < lowTicks || levels.price[row]! > highTicks) continue;
      bid += levels.bid[row]!;
      ask += levels.ask[row]!;
      unknown += levels.unknown[row]!;
    }
  }
  return {
    bars: bars.length,
    ...{ bid, ask, unknown, volume: bid + ask + unknown, delta: ask - bid },
    ns: nsOf(bars),
    isExact: bars.every(isExactBar),
  };
}

function barsOf(columns: readonly Column[], from: number, to: number): readonly ChartBar[] {
  return columns.slice(Math.max(0, from), Math.max(0, to)).filter((it) => it.kind === 'bar');
}

function addBar({ levels }: ChartBar, into: PriceLevels | null, moments: WeightedMoments): void {
  if (levels === null) return;
  into?.append(levels);
  // A row of several ticks counts at its middle; of one tick that is the price.
  const middle = Math.floor((levels.group - 1) / 2);
  for (let row = 0; row < levels.count; row += 1) {
    const lots = levels.bid[row]! + levels.ask[row]! + levels.unknown[row]!;
    moments.add(levels.price[row]! + middle, lots);
  }
}

function averageOf(moments: WeightedMoments): { vwap: number; deviation: number } {
  if (moments.lots === 0) return { vwap: Number.NaN, deviation: Number.NaN };
  const { deviation, bands } = moments.millionths([0n]);
  return { vwap: Number(bands[0]) / MILLION, deviation: Number(deviation) / MILLION };
}

function isExactBar({ levels, volume }: ChartBar): boolean {
  return levels === null ? volume === 0 : levels.group === 1;
}

function total(bars: readonly ChartBar[], name: 'bid' | 'ask' | 'unknown' | 'trades'): number {
  let sum = 0;
  for (const bar of bars) sum += bar[name];
  return sum;
}

function extreme(
  bars: readonly ChartBar[],
  name: 'high' | 'low',
  further: (a: number, b: number) => number,
): number {
  const [first] = bars;
  if (first === undefined) return Number.NaN;
  return bars.reduce((most, bar) => further(most, bar[name]), first[name]);
}

function priceAt(levels: PriceLevels, row: number): number | null {
  return row < 0 ? null : levels.price[row]!;
}

function nsOf(bars: readonly ChartBar[]): bigint {
  const [first, last] = [bars[0], bars.at(-1)];
  return first === undefined ? 0n : last!.endNs - first.fromNs;
}
