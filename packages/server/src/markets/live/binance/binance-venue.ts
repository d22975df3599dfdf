/**
 * Binance futures: `aggTrade` of each contract over one WebSocket, numbered without holes, and pages by number. USD-M and
 * COIN-M count the requests of an address together.
 */

import { DAY_MS, MINUTE_MS } from '@tapeloom/core/units';
import type { Venue, VenueLimits } from '../feed.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import type { VenueKind, VenueSettings } from '../venue-kind.ts';
import { readContracts } from './binance-contracts.ts';
import { type BinanceMarket, COIN_M, USD_M } from './binance-market.ts';
import { pageRequest, readPage, usedWeight } from './binance-pages.ts';
import { BinanceReader } from './binance-reader.ts';
import { KEEP_ALIVE, subscriptionsOf } from './binance-subscription.ts';

/** An aggregate trade is sent up to 160 ms behind its time, because its window has to end first. */
const GRACE_MS = 300;

const LIMITS: VenueLimits = {
  contractsPerConnection: 200,
  requests: { units: 2_400, perMs: MINUTE_MS },
  pageWeight: 20,
  pagesAtOnce: 4,
  connects: { units: 300, perMs: 5 * MINUTE_MS },
  // Ten with the answers to pings, which the socket sends itself.
  messages: { units: 9, perMs: 1_000 },
  connectionLifeMs: DAY_MS,
};

export const binanceUsdm: VenueKind = kindOf(USD_M);
export const binanceCoinm: VenueKind = kindOf(COIN_M);

function kindOf(market: BinanceMarket): VenueKind {
  const { name, title, addresses, examples } = market;
  return {
    name,
    title,
    exchange: 'BINANCE',
    budgetGroup: 'binance-futures',
    addresses,
    needsKey: false,
    venueDataset: null,
    graceMs: GRACE_MS,
    provesCompleteness: true,
    beginsEarlier: true,
    examples,
    open: (settings) => venueOf(market, settings),
    contracts: (...asked) => readContracts(market, ...asked),
  };
}

function venueOf(market: BinanceMarket, { addresses }: VenueSettings): Venue {
  const rest = `${addresses.rest}${market.restPath}`;
  return {
    name: market.name,
    limits: LIMITS,
    acknowledges: true,
    keepAlive: KEEP_ALIVE,
    deadAfterMs: null,
    address: () => `${addresses.stream}/ws`,
    subscribe: subscriptionsOf,
    reader: (contracts) => new BinanceReader(market, contracts),
    line: ({ contract: { symbol }, ...options }) => new NumberedLine({ symbol, ...options }),
    page: (contract, wish) => pageRequest(rest, contract, wish),
    readPage,
    usedUnits: usedWeight,
  };
}
