/**
 * What a dragged range and a measured box hold, summed from the levels of the bars in them. Bars without levels count
 * with their totals; `isExact` says whether prices are known for all lots.
 */

import type { Column } from './chart-bar.ts';

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
  /** In ticks, unrounded; NaN without lots. */
  readonly vwap: number;
  readonly deviation: number;
  /** Rows of `group` ticks that traded, ascending; each column has as many entries. */
  readonly group: number;
  readonly price: Float64Array;
  readonly bidLots: Float64Array;
  readonly askLots: Float64Array;
  readonly unknownLots: Float64Array;
  /** Prices of the point of control and the value area's edges; null without rows. */
  readonly poc: number | null;
  readonly vah: number | null;
  readonly val: number | null;
  /** All lots have prices: every bar has levels of one tick. */
  readonly isExact: boolean;
  /** From the begin of the first bar to the end of the last, in nanoseconds. */
  readonly ns: bigint;
}

export interface RangeRules {
  /** Ticks per row of the profile. */
  readonly group: number;
  readonly valueArea: number;
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

/** Columns [from, to). */
export declare function rangeSum(
  columns: readonly Column[],
  from: number,
  to: number,
  rules?: RangeRules,
): RangeSum;

/** The VWAP since column `from`, after each bar. */
export declare function vwapPath(columns: readonly Column[], from: number, to: number): VwapPoint[];

/** Lots of columns [from, to) at prices from `lowTicks` to `highTicks`, both included. */
export declare function measureBox(
  columns: readonly Column[],
  from: number,
  to: number,
  lowTicks: number,
  highTicks: number,
): BoxSum;
