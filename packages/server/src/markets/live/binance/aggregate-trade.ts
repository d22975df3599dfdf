/**
 * Reads an aggregate trade of Binance, the same in the stream and in pages: fills of one price and one aggressor within
 * 100 ms. Its number `a` grows by one.
 */

import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { FieldError, timeOfMs, unitsOf, wholeOf } from '../venue-answers.ts';

export type AggregateTrade = Readonly<Record<string, unknown>>;

/** Throws a `FieldError` that names the wrong field. */
export function tradeOf(
  { tickSizeNanos, lotSizeNanos }: FeedContract,
  fields: AggregateTrade,
): FeedTrade {
  const id = numberOf(fields.a, 'a');
  const price = unitsOf(fields.p, 'p', tickSizeNanos);
  const size = unitsOf(fields.q, 'q', lotSizeNanos);
  if (size < 0) throw new FieldError('q', fields.q);
  const { day, ns } = timeOfMs(numberOf(fields.T, 'T'), 'T');
  const isBuyerMaker = fields.m;
  if (typeof isBuyerMaker !== 'boolean') throw new FieldError('m', isBuyerMaker);
  return { id, day, ns, price, size, side: isBuyerMaker ? -1 : 1 };
}

/** A number of a trade, or a time: whole and not negative. */
export function numberOf(value: unknown, field: string): number {
  const number = wholeOf(value, field);
  if (number < 0) throw new FieldError(field, value);
  return number;
}
