/** Kraken's rows of trades: those of the stream have a number, those of the pages only the key that both have. */

import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { timeOfText } from '../time-of-text.ts';
import {
  FieldError,
  fieldsOf,
  numberOf,
  sizeOf,
  textOf,
  timeOfMs,
  unitsOf,
  wholeOf,
} from '../venue-answers.ts';

type Row = Readonly<Record<string, unknown>>;

export function streamTrade(value: unknown, contract: FeedContract): FeedTrade {
  const row = fieldsOf(value, 'trades');
  const product = row.product_id;
  if (product !== contract.venueSymbol) throw new FieldError('product_id', product);
  return {
    id: numberOf(row.seq, 'seq'),
    ...timeOfMs(wholeOf(row.time, 'time'), 'time'),
    size: sizeOf(row.qty, 'qty', contract.lotSizeNanos),
    ...common(row, contract),
  };
}

/** Without a number. */
export function pageTrade(value: unknown, contract: FeedContract): FeedTrade {
  const row = fieldsOf(value, 'history');
  return {
    id: 0,
    ...timeOfText(row.time, 'time'),
    size: sizeOf(row.size, 'size', contract.lotSizeNanos),
    ...common(row, contract),
  };
}

function common(
  row: Row,
  contract: FeedContract,
): Pick<FeedTrade, 'price' | 'side' | 'key' | 'leftOut'> {
  const trade = {
    price: unitsOf(row.price, 'price', contract.tickSizeNanos),
    side: sideOf(row.side),
    key: textOf(row.uid, 'uid'),
  };
  // Fills, liquidations and assignments went through the book; a block was agreed outside of it.
  return textOf(row.type, 'type') === 'block' ? { ...trade, leftOut: 'block' } : trade;
}

/** The taker's. */
function sideOf(side: unknown): number {
  if (side === 'buy') return 1;
  if (side === 'sell') return -1;
  throw new FieldError('side', side);
}
