/** Perpetuals and futures, as Bybit describes them, page by page. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { didYouMean } from '../../../config/nearest-name.ts';
import type { Network } from '../network.ts';
import {
  decimalOf,
  FieldError,
  fieldsOf,
  listOf,
  requestJson,
  textOf,
  understood,
  wholeOf,
} from '../venue-answers.ts';
import { type VenueContract, VenueError } from '../venue-kind.ts';
import type { BybitCategory } from './bybit-trades.ts';

const PAGE_MAX = 1_000;
/** More are no list of contracts. */
const PAGES_MAX = 50;
const KINDS: Readonly<Record<string, VenueContract['kind']>> = {
  LinearPerpetual: 'perpetual',
  LinearFutures: 'future',
  InversePerpetual: 'perpetual',
  InverseFutures: 'future',
};

type Fields = Readonly<Record<string, unknown>>;

export async function bybitContracts(
  network: Network,
  rest: string,
  category: BybitCategory,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const { host } = new URL(rest);
  const rows = new Map<string, Fields>();
  let cursor = '';
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = new URLSearchParams({
      category,
      limit: `${PAGE_MAX}`,
      ...(cursor && { cursor }),
    });
    const url = `${rest}/v5/market/instruments-info?${query}`;
    const answer = pageOf(await requestJson(network, { url }, signal), host);
    for (const [symbol, row] of answer.rows) rows.set(symbol, row);
    cursor = answer.cursor;
    if (cursor === '') break;
  }
  return venueSymbols.map((symbol) => {
    const row = rows.get(symbol);
    if (row !== undefined) return understood(host, () => contractOf(row, symbol, category));
    const near = didYouMean(symbol, [...rows.keys()]);
    throw new VenueError(`${host} has no ${category} contract "${symbol}".${near}`, false);
  });
}

function pageOf(answer: unknown, host: string) {
  return understood(host, () => {
    const { retCode, retMsg, result } = fieldsOf(answer, 'answer');
    if (retCode !== 0) {
      throw new VenueError(`${host} refused the request: ${retMsg} (${retCode})`, true);
    }
    const { list, nextPageCursor } = fieldsOf(result, 'result');
    const rows = listOf(list, 'result.list').map((value) => {
      const row = fieldsOf(value, 'result.list');
      return [textOf(row.symbol, 'symbol'), row] as const;
    });
    return { rows, cursor: typeof nextPageCursor === 'string' ? nextPageCursor : '' };
  });
}

function contractOf(row: Fields, venueSymbol: string, category: BybitCategory): VenueContract {
  const kind = KINDS[row.contractType as string];
  if (kind === undefined) throw new FieldError('contractType', row.contractType);
  const [base, quote] = [textOf(row.baseCoin, 'baseCoin'), textOf(row.quoteCoin, 'quoteCoin')];
  const expires = wholeOf(row.deliveryTime, 'deliveryTime');
  const status = textOf(row.status, 'status');
  const prices = fieldsOf(row.priceFilter, 'priceFilter');
  const sizes = fieldsOf(row.lotSizeFilter, 'lotSizeFilter');
  return {
    venueSymbol,
    kind,
    // A future has other ticks than the perpetual of its name.
    root: kind === 'perpetual' ? venueSymbol : `${base}${quote}-FUTURE`,
    title:
      kind === 'perpetual' ? `${base}${quote} perpetual` : `${base}${quote} future ${venueSymbol}`,
    base,
    currency: quote,
    tick: decimalOf(prices.tickSize, 'priceFilter.tickSize'),
    lot: decimalOf(sizes.qtyStep, 'lotSizeFilter.qtyStep'),
    // Sizes are in the base coin, or in dollars.
    pointValue: '1',
    isInverse: category === 'inverse',
    expiresAt: expires === 0 ? null : ((BigInt(expires) * MS_NS_BIG) as EpochNs),
    notTraded: status === 'Trading' ? null : `Bybit reports its status as "${status}"`,
    calendar: null,
  };
}
