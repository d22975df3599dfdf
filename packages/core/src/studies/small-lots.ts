/**
 * Sums of lots in 32-bit integers, which processors add several times faster than doubles: of no more
 * than `SMALL_ROWS_MAX` trades, each of no more than `SMALL_LOTS_MAX` lots, no sum reaches 2^31. Nearly
 * all trades are so small; whoever uses this adds the others one by one in doubles.
 *
 * A bitwise or of sizes tells whether all of them are small: it exceeds the limit when one of them does.
 */

import type { TradeBatch } from '../trade-batch.ts';

export const SMALL_LOTS_MAX = 2 ** 15 - 1;
export const SMALL_ROWS_MAX = 2 ** 16 - 1;

/** What all trades of some rows lie within. */
export interface RowsSpan {
  low: number;
  high: number;
  /** The bitwise or of their sizes. */
  lots: number;
}

/** Of rows [from, to), at least one. */
export function spanOf({ price, size }: TradeBatch, from: number, to: number): RowsSpan {
  let low = price[from]!;
  let high = low;
  let lots = 0;
  for (let row = from; row < to; row += 1) {
    low = Math.min(low, price[row]!);
    high = Math.max(high, price[row]!);
    lots |= size[row]!;
  }
  return { low, high, lots };
}
