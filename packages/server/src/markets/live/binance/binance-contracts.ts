/** The contracts of a Binance futures market, as `exchangeInfo` describes them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_MS, MS_NS_BIG } from '@tapeloom/core/units';
import { didYouMean } from '../../../config/nearest-name.ts';
import type { Network } from '../network.ts';
import {
  decimalOf,
  FieldError,
  fieldsOf,
  listOf,
  numberOf,
  requestJson,
  textOf,
  timeOfMs,
} from '../venue-answers.ts';
import { type VenueContract, VenueError, type VenueSettings } from '../venue-kind.ts';
import type { BinanceMarket } from './binance-market.ts';

type Fields = Readonly<Record<string, unknown>>;

export async function readContracts(
  market: BinanceMarket,
  network: Network,
  { addresses }: VenueSettings,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const url = `${addresses.rest}${market.restPath}/exchangeInfo`;
  const { host } = new URL(url);
  const answer = await requestJson(network, { url }, signal);
  try {
    const all = new Map<string, Fields>();
    for (const row of listOf(fieldsOf(answer, 'of the answer').symbols, 'symbols')) {
      const fields = fieldsOf(row, 'symbols');
      all.set(textOf(fields.symbol, 'symbol'), fields);
    }
    return venueSymbols.map((symbol) => {
      const fields = all.get(symbol);
      if (fields !== undefined) return contractOf(market, symbol, fields);
      const near = didYouMean(symbol, [...all.keys()]);
      throw new VenueError(`${host} has no contract ${symbol}.${near}`, false);
    });
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const said = `${host} describes its contracts in an unknown way: ${error.message}`;
    throw new VenueError(said, false, { cause: error });
  }
}

function contractOf(market: BinanceMarket, venueSymbol: string, fields: Fields): VenueContract {
  const of = (name: string) => `${name} of ${venueSymbol}`;
  const { isInverse } = market;
  // Empty before its first trade.
  const type = fields.contractType === '' ? '' : textOf(fields.contractType, of('contractType'));
  const isPerpetual = type.includes('PERPETUAL');
  const expiresMs = numberOf(fields.deliveryDate, of('deliveryDate'));
  const { day } = timeOfMs(expiresMs, of('deliveryDate'));
  const until = isPerpetual ? 'perpetual' : new Date(day * DAY_MS).toISOString().slice(0, 10);
  const root = textOf(fields.pair, of('pair'));
  const currency = textOf(fields.quoteAsset, of('quoteAsset'));
  const amount = isInverse
    ? `, contracts of ${decimalOf(fields.contractSize, of('contractSize'))} ${currency}`
    : '';
  return {
    venueSymbol,
    kind: isPerpetual ? 'perpetual' : 'future',
    root,
    title: `${root} ${until}${amount}`,
    base: textOf(fields.baseAsset, of('baseAsset')),
    currency,
    tick: filterOf(fields, 'PRICE_FILTER', 'tickSize', venueSymbol),
    lot: filterOf(fields, 'LOT_SIZE', 'stepSize', venueSymbol),
    pointValue: '1',
    isInverse,
    expiresAt: isPerpetual ? null : ((BigInt(expiresMs) * MS_NS_BIG) as EpochNs),
    notTraded: notTraded(textOf(fields.contractStatus ?? fields.status, of('status'))),
    calendar: null,
  };
}

/** The decimals of prices and sizes of the description are not those of the grid. */
function filterOf(fields: Fields, type: string, name: string, venueSymbol: string): string {
  const filters = listOf(fields.filters, `filters of ${venueSymbol}`);
  const found = filters
    .map((filter) => fieldsOf(filter, `filters of ${venueSymbol}`))
    .find(({ filterType }) => filterType === type);
  return decimalOf(found?.[name], `${type}.${name} of ${venueSymbol}`);
}

function notTraded(status: string): string | null {
  return status === 'TRADING' ? null : `its status at the venue is ${status}`;
}
