/** Trades of OKX, which its stream and its pages describe alike, and the pages, which have the newest trade first. */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest } from '../feed.ts';
import type { FeedTrade, PageWish } from '../lines/line.ts';
import {
  FieldError,
  fieldsOf,
  listOf,
  numberOf,
  refusalOf,
  sizeOf,
  timeOfMs,
  unitsOf,
  wholeOf,
} from '../venue-answers.ts';

const PAGE_MAX = 100;
/** Codes of answers: all is well, too many requests, no such contract. */
const OK = '0';
const TOO_MANY = '50011';
const NO_CONTRACT = '51001';
const TOO_MANY_WAIT_MS = 2_000;
const SIDES: Readonly<Record<string, number>> = { buy: 1, sell: -1 };

/** Prints of the program for retail orders (`source` 1) trade in the book and have numbers as all others: they stay. */
export function okxTrade(contract: FeedContract, value: unknown): FeedTrade {
  const { instId, tradeId, px, sz, side, ts } = fieldsOf(value, 'data');
  if (instId !== contract.venueSymbol) throw new FieldError('instId', instId);
  const id = numberOf(tradeId, 'tradeId');
  const size = sizeOf(sz, 'sz', contract.lotSizeNanos);
  const sign = SIDES[side as string];
  if (sign === undefined) throw new FieldError('side', side);
  const { day, ns } = timeOfMs(wholeOf(ts, 'ts'), 'ts');
  return { id, day, ns, price: unitsOf(px, 'px', contract.tickSizeNanos), size, side: sign };
}

/**
 * The venue returns the newest trades with numbers below `after`. Numbers have no holes, so that a page can begin at the
 * first missing one: a long hole needs no memory for its end. A page is always full, since it may fill the next hole too.
 */
export function okxPage(
  rest: string,
  { venueSymbol }: FeedContract,
  { fromId }: PageWish,
): PageRequest {
  const query = new URLSearchParams({ instId: venueSymbol, type: '1', limit: `${PAGE_MAX}` });
  if (fromId !== null) query.set('after', `${fromId + PAGE_MAX}`);
  return { url: `${rest}/api/v5/market/history-trades?${query}` };
}

export function readOkxPage(
  contract: FeedContract,
  { fromId }: PageWish,
  answer: PageAnswer,
): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  const { code, msg, data } = fieldsOf(JSON.parse(answer.body), 'answer');
  if (`${code}` === NO_CONTRACT) return { kind: 'forgotten', oldestId: null };
  if (`${code}` !== OK) {
    const retryAfterMs = `${code}` === TOO_MANY ? TOO_MANY_WAIT_MS : null;
    return { kind: 'refused', why: `${msg} (${code})`, retryAfterMs };
  }
  const trades = listOf(data, 'data')
    .map((row) => okxTrade(contract, row))
    .reverse();
  const newest = trades.at(-1)?.id ?? -1;
  const isLast = fromId === null || newest < fromId + PAGE_MAX - 1;
  return { kind: 'trades', trades, isLast };
}
