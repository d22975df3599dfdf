/** Past aggregate trades of Binance, by number: up to 1,000 in a page, of the last 24 hours and sometimes of two days. */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest } from '../feed.ts';
import type { PageWish } from '../lines/line.ts';
import { fieldsOf, listOf, refusalOf } from '../venue-answers.ts';
import { type AggregateTrade, tradeOf } from './aggregate-trade.ts';

const ROWS_MAX = 1_000;
/** Where a tape begins, the newest trade is enough. */
const NEWEST_ROWS = 10;
/** Older than the venue remembers; a symbol that it does not know any more. */
const FORGOTTEN_CODES: readonly unknown[] = [-4_166, -1_121];

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
  if (refusal !== null) return isForgotten(answer) ? forgotten(wish) : refusal;
  const rows = listOf(JSON.parse(answer.body), 'of the page');
  const trades = rows.map((row) => tradeOf(contract, fieldsOf(row, 'row') as AggregateTrade));
  return { kind: 'trades', trades, isLast: trades.length < rowsOf(wish) };
}

/** The weight that Binance has counted for this address in the present minute. */
export function usedWeight({ headers }: PageAnswer): number | null {
  const text = headers['x-mbx-used-weight-1m'] ?? headers['X-MBX-USED-WEIGHT-1M'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The venue does not say where its memory begins. Of a hole nothing more is tried: each try costs a whole page. */
function forgotten({ before }: PageWish): PageOutcome {
  return { kind: 'forgotten', oldestId: before?.id ?? null };
}

/** A page of any length costs the same, and a long one may fill the holes behind its own too. */
function rowsOf({ fromId }: PageWish): number {
  return fromId === null ? NEWEST_ROWS : ROWS_MAX;
}

function isForgotten({ status, body }: PageAnswer): boolean {
  if (status !== 400) return false;
  try {
    return FORGOTTEN_CODES.includes(fieldsOf(JSON.parse(body), 'error').code);
  } catch {
    return false;
  }
}
