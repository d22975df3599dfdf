/** Rows [from, to) of a batch, without copying. */

import type { Rank } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';

export function sliceBatch(batch: TradeBatch, from: number, to: number): TradeBatch {
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
