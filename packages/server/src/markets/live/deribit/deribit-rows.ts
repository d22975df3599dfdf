/**
 * Deribit's rows of trades, which its stream and its pages share. The size is `amount`: US dollars of an inverse contract,
 * coins of a linear one. It is always there, while `contracts` may lack in older rows. A lot is one contract, so that
 * the tape counts contracts either way.
 */

import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import {
  FieldError,
  fieldsOf,
  numberOf,
  sizeOf,
  timeOfMs,
  unitsOf,
  wholeOf,
} from '../venue-answers.ts';

export function deribitTrade(value: unknown, contract: FeedContract): FeedTrade {
  const row = fieldsOf(value, 'data');
  const name = row.instrument_name;
  if (name !== contract.venueSymbol) throw new FieldError('instrument_name', name);
  const trade = {
    id: numberOf(row.trade_seq, 'trade_seq'),
    ...timeOfMs(wholeOf(row.timestamp, 'timestamp'), 'timestamp'),
    price: unitsOf(row.price, 'price', contract.tickSizeNanos),
    size: sizeOf(row.amount, 'amount', contract.lotSizeNanos),
    side: sideOf(row.direction),
  };
  const leftOut = leftOutKind(row);
  return leftOut === null ? trade : { ...trade, leftOut };
}

/** `direction` is the taker's. */
function sideOf(direction: unknown): number {
  if (direction === 'buy') return 1;
  if (direction === 'sell') return -1;
  throw new FieldError('direction', direction);
}

/** Trades that were agreed outside of the order book, and both sides of combos: their legs, and the combo itself. */
function leftOutKind(row: Readonly<Record<string, unknown>>): string | null {
  if (isGiven(row.block_trade_id)) return 'block';
  return isGiven(row.combo_id) || isGiven(row.legs) ? 'combo' : null;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
