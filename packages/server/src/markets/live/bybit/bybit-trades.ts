/** Trades of Bybit: those of its stream, and its newest trades, which a request returns newest first. */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import {
  FieldError,
  fieldsOf,
  listOf,
  refusalOf,
  sizeOf,
  textOf,
  timeOfMs,
  unitsOf,
  wholeOf,
} from '../venue-answers.ts';

export const BLOCK_TRADE = 'block trade';

export type BybitCategory = 'linear' | 'inverse';

const PAGE_MAX = 1_000;
/** Codes of answers: all is well, wrong parameters, too many requests. */
const OK = 0;
const TOO_MANY = 10_006;
const TOO_MANY_WAIT_MS = 5_000;
const SIDES: Readonly<Record<string, number>> = { Buy: 1, Sell: -1 };

interface Terms {
  readonly key: unknown;
  readonly time: unknown;
  readonly price: unknown;
  readonly size: unknown;
  readonly side: unknown;
}

type Names = Readonly<Record<keyof Terms | 'symbol' | 'isBlock', string>>;

const STREAM: Names = {
  symbol: 's',
  key: 'i',
  time: 'T',
  price: 'p',
  size: 'v',
  side: 'S',
  isBlock: 'BT',
};
const PAGE: Names = {
  symbol: 'symbol',
  key: 'execId',
  time: 'time',
  price: 'price',
  size: 'size',
  side: 'side',
  isBlock: 'isBlockTrade',
};

/** Null: a block trade, which no order in the book has met. Trades with orders for retail (`RPI`) stay. */
export function bybitTrade(contract: FeedContract, value: unknown): FeedTrade | null {
  const { s, i, T, p, v, S, BT } = fieldsOf(value, 'data');
  if (!isOfBook(contract, s, BT, STREAM)) return null;
  return tradeOf(contract, { key: i, time: T, price: p, size: v, side: S }, STREAM);
}

function tradeOfPage(contract: FeedContract, value: unknown): FeedTrade | null {
  const { symbol, execId, time, price, size, side, isBlockTrade } = fieldsOf(value, 'list');
  if (!isOfBook(contract, symbol, isBlockTrade, PAGE)) return null;
  return tradeOf(contract, { key: execId, time, price, size, side }, PAGE);
}

function isOfBook(
  { venueSymbol }: FeedContract,
  symbol: unknown,
  isBlock: unknown,
  names: Names,
): boolean {
  if (symbol !== venueSymbol) throw new FieldError(names.symbol, symbol);
  if (typeof isBlock !== 'boolean') throw new FieldError(names.isBlock, isBlock);
  return !isBlock;
}

function tradeOf(contract: FeedContract, terms: Terms, names: Names): FeedTrade {
  const key = textOf(terms.key, names.key);
  const price = unitsOf(terms.price, names.price, contract.tickSizeNanos);
  const size = sizeOf(terms.size, names.size, contract.lotSizeNanos);
  const side = SIDES[terms.side as string];
  if (side === undefined) throw new FieldError(names.side, terms.side);
  const { day, ns } = timeOfMs(wholeOf(terms.time, names.time), names.time);
  return { id: -1, day, ns, price, size, side, key };
}

export function bybitPage(
  rest: string,
  category: BybitCategory,
  { venueSymbol }: FeedContract,
): PageRequest {
  const query = new URLSearchParams({ category, symbol: venueSymbol, limit: `${PAGE_MAX}` });
  return { url: `${rest}/v5/market/recent-trade?${query}` };
}

export function readBybitPage(contract: FeedContract, answer: PageAnswer): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  const { retCode, retMsg, result } = fieldsOf(JSON.parse(answer.body), 'answer');
  if (retCode !== OK) {
    const retryAfterMs = retCode === TOO_MANY ? TOO_MANY_WAIT_MS : null;
    return { kind: 'refused', why: `${retMsg} (${retCode})`, retryAfterMs };
  }
  const { list } = fieldsOf(result, 'result');
  const trades = listOf(list, 'result.list')
    .map((row) => tradeOfPage(contract, row))
    .filter((trade) => trade !== null);
  return { kind: 'trades', trades: trades.reverse(), isLast: true };
}
