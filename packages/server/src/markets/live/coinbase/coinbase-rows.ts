/** Coinbase's rows of trades, of the stream and of the pages. `side` is the maker's in both: the aggressor is the other. */

import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { timeOfText } from '../time-of-text.ts';
import { FieldError, numberOf, sizeOf, unitsOf } from '../venue-answers.ts';

export function coinbaseTrade(
  row: Readonly<Record<string, unknown>>,
  contract: FeedContract,
): FeedTrade {
  const { day, ns } = timeOfText(row.time, 'time');
  return {
    id: numberOf(row.trade_id, 'trade_id'),
    day,
    ns,
    price: unitsOf(row.price, 'price', contract.tickSizeNanos),
    size: sizeOf(row.size, 'size', contract.lotSizeNanos),
    side: aggressorOf(row.side),
  };
}

function aggressorOf(makerSide: unknown): number {
  if (makerSide === 'SELL' || makerSide === 'sell') return 1;
  if (makerSide === 'BUY' || makerSide === 'buy') return -1;
  throw new FieldError('side', makerSide);
}
