/** Past aggregate trades of Binance, by number: up to 1,000 in a page, of the last 24 hours and sometimes of two days. */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest } from '../feed.ts';
import type { PageWish } from '../lines/line.ts';
import { fieldsOf, listOf, refusalOf } from '../venue-answers.ts';
import { type AggregateTrade, tradeOf } from './aggregate-trade.ts';

const ROWS_MAX = 1_000;
/** Where a tape begins, the newest trade is enough. */
const NEWEST_ROWS = 10;
/** Codes of errors: older than the venue remembers, a symbol that it does not know any more. */
const TOO_OLD = -4_166;
const UNKNOWN_SYMBOL = -1_121;

export function pageRequest(
  rest: string,
  { venueSymbol }: FeedContract,
  wish: PageWish,
): PageRequest {
  const from = wish.fromId === null ? '' : `&fromId=${wish.fromId}`;
  const symbol = encodeURIComponent(venueSymbol);
  return { url: `${rest}/aggTrades?symbol=${symbol}${from}&limit=${rowsOf(wish)}` };
}

export function readPage(contract: FeedContract, wish: PageWish, answer: PageAnswer): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return forgotten(wish, answer) ?? refusal;
  const rows = listOf(JSON.parse(answer.body), 'of the page');
  const trades = rows.map((row) => tradeOf(contract, fieldsOf(row, 'row') as AggregateTrade));
  return { kind: 'trades', trades, isLast: trades.length < rowsOf(wish) };
}

/** The weight that Binance has counted for this address in the present minute. */
export function usedWeight({ headers }: PageAnswer): number | null {
  const text = headers['x-mbx-used-weight-1m'] ?? headers['X-MBX-USED-WEIGHT-1M'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Null: the answer says something else. Of an unknown symbol nothing more is tried. */
function forgotten({ before }: PageWish, answer: PageAnswer): PageOutcome | null {
  const code = errorCode(answer);
  if (code === TOO_OLD) return { kind: 'forgotten', oldestId: null };
  return code === UNKNOWN_SYMBOL ? { kind: 'forgotten', oldestId: before?.id ?? null } : null;
}

/** A page of any length costs the same, and a long one may fill the holes behind its own too. */
function rowsOf({ fromId }: PageWish): number {
  return fromId === null ? NEWEST_ROWS : ROWS_MAX;
}

function errorCode({ status, body }: PageAnswer): unknown {
  if (status !== 400) return null;
  try {
    return fieldsOf(JSON.parse(body), 'error').code;
  } catch {
    return null;
  }
}
