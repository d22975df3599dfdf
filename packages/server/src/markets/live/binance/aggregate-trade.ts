/**
 * Reads an aggregate trade of Binance, the same in the stream and in pages: fills of one price and one aggressor within
 * 100 ms. Its number `a` grows by one.
 */

import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { FieldError, numberOf, sizeOf, timeOfMs, unitsOf } from '../venue-answers.ts';

export type AggregateTrade = Readonly<Record<string, unknown>>;

/** Throws a `FieldError` that names the wrong field. */
export function tradeOf(
  { tickSizeNanos, lotSizeNanos }: FeedContract,
  fields: AggregateTrade,
): FeedTrade {
  const id = numberOf(fields.a, 'a');
  const price = unitsOf(fields.p, 'p', tickSizeNanos);
  const size = sizeOf(fields.q, 'q', lotSizeNanos);
  const { day, ns } = timeOfMs(numberOf(fields.T, 'T'), 'T');
  const isBuyerMaker = fields.m;
  if (typeof isBuyerMaker !== 'boolean') throw new FieldError('m', isBuyerMaker);
  return { id, day, ns, price, size, side: isBuyerMaker ? -1 : 1 };
}
