/** What a simulated Binance says of its contracts, in the form of `exchangeInfo`. */

import type { DialectContract } from '../dialect.ts';

const NEVER_MS = 4_133_404_800_000;
const NAME = /^(.+?)(USDT?)(?:_(PERP|\d{6}))?$/;

export function exchangeInfo(isUsdm: boolean, contracts: readonly DialectContract[]): object {
  const limit = { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1 };
  return {
    timezone: 'UTC',
    rateLimits: [{ ...limit, limit: 2_400 }],
    exchangeFilters: [],
    symbols: contracts.map((contract) => symbolOf(isUsdm, contract)),
  };
}

/** The precisions are not those of the filters, as at the venue. */
function symbolOf(isUsdm: boolean, { venueSymbol, tick, lot }: DialectContract): object {
  const [, base = '', quote = '', end = 'PERP'] = NAME.exec(venueSymbol) ?? [];
  const isPerpetual = end === 'PERP';
  return {
    symbol: venueSymbol,
    pair: `${base}${quote}`,
    contractType: isPerpetual ? 'PERPETUAL' : 'CURRENT_QUARTER',
    deliveryDate: isPerpetual ? NEVER_MS : deliveryMs(end),
    onboardDate: 1_569_398_400_000,
    ...(isUsdm ? { status: 'TRADING' } : { contractStatus: 'TRADING', contractSize: sizeOf(base) }),
    baseAsset: base,
    quoteAsset: quote,
    marginAsset: isUsdm ? quote : base,
    pricePrecision: 2,
    quantityPrecision: 8,
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: '4529764', tickSize: tick },
      { filterType: 'LOT_SIZE', minQty: lot, maxQty: '1000', stepSize: lot },
      { filterType: 'MARKET_LOT_SIZE', minQty: lot, maxQty: '120', stepSize: '5' },
    ],
  };
}

function sizeOf(base: string): number {
  return base === 'BTC' ? 100 : 10;
}

/** 08:00 UTC of the day in the name. */
function deliveryMs(day: string): number {
  const [year, month, date] = [0, 2, 4].map((at) => Number(day.slice(at, at + 2)));
  return Date.UTC(2_000 + year!, month! - 1, date!, 8);
}
