/**
 * A run of consecutive trades of one contract and one UTC day, as columns. Row i is the trade of rank `firstRank + i`.
 * `ts` never decreases. Columns may be longer than `count`, and may be views of shared memory that grows behind them:
 * readers use only the first `count` rows and never write.
 */

import type { Rank, UtcDay } from './numbers.ts';

export interface TradeBatch {
  readonly day: UtcDay;
  readonly firstRank: Rank;
  readonly count: number;
  /** Nanoseconds since the midnight of `day`. */
  readonly ts: Float64Array;
  /** Ticks. */
  readonly price: Int32Array;
  /** Lots, at least 1. */
  readonly size: Int32Array;
  /** The aggressor: buyer +1, seller -1, unknown 0. */
  readonly side: Int8Array;
}

/** An empty batch with space for `capacity` rows; the writer fills it and sets `count`. */
export function allocateBatch(day: UtcDay, firstRank: Rank, capacity: number): WritableTradeBatch {
  return {
    day,
    firstRank,
    count: 0,
    ts: new Float64Array(capacity),
    price: new Int32Array(capacity),
    size: new Int32Array(capacity),
    side: new Int8Array(capacity),
  };
}

export interface WritableTradeBatch extends TradeBatch {
  count: number;
}

/** Rows [from, to) of a batch, as a batch over the same memory. */
export function sliceBatch(batch: TradeBatch, from: number, to: number): TradeBatch {
  if (from === 0 && to === batch.count) return batch;
  return {
    day: batch.day,
    firstRank: (batch.firstRank + from) as Rank,
    count: to - from,
    ts: batch.ts.subarray(from, to),
    price: batch.price.subarray(from, to),
    size: batch.size.subarray(from, to),
    side: batch.side.subarray(from, to),
  };
}

/** The first row in [from, to) whose time is `ns` or later; `to` if there is none. */
export function firstRowAt(ts: Float64Array, from: number, to: number, ns: number): number {
  if (from >= to || ts[to - 1]! < ns) return to;
  let low = from;
  let step = 1;
  // Galloping search: the next edge is mostly near, so few rows are read whatever the size of the batch.
  while (low + step < to && ts[low + step]! < ns) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, to - 1);
  if (ts[low]! >= ns) return low;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (ts[middle]! < ns) low = middle;
    else high = middle;
  }
  return high;
}
