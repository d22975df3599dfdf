/** Makes the columns of an offer out of a line's trades. */

import { dayFromNumber } from '@tapeloom/core/utc-day';
import type { IntakeBatch } from '../../tape/write/intake.ts';
import type { FeedTrade } from './lines/line.ts';

/** All trades are of one day. */
export function batchOf(symbol: string, trades: readonly FeedTrade[]): IntakeBatch {
  const count = trades.length;
  const batch = {
    symbol,
    day: dayFromNumber(trades[0]!.day),
    count,
    id: new Float64Array(count),
    ts: new Float64Array(count),
    price: new Float64Array(count),
    size: new Float64Array(count),
    side: new Int8Array(count),
  };
  trades.forEach((trade, row) => {
    batch.id[row] = trade.id;
    batch.ts[row] = trade.ns;
    batch.price[row] = trade.price;
    batch.size[row] = trade.size;
    batch.side[row] = trade.side;
  });
  return batch;
}
