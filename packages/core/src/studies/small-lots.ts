/**
 * Sums of lots in 32-bit integers, which processors add several times faster than doubles. With at most
 * `SMALL_ROWS_MAX` trades of at most `SMALL_LOTS_MAX` lots, no sum reaches 2^31. Nearly all trades are that small;
 * callers add larger ones one by one in doubles. The bitwise or of sizes exceeds the limit exactly if one of them does.
 */

import type { TradeBatch } from '../trade-batch.ts';

export const SMALL_LOTS_MAX = 2 ** 15 - 1;
export const SMALL_ROWS_MAX = 2 ** 16 - 1;

export interface RowsSpan {
  low: number;
  high: number;
  /** The bitwise or of their sizes. */
  lots: number;
}

/** The span of rows [from, to), at least one. */
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
