/**
 * Bybit as a venue: a stream of trades without numbers, and the newest 1,000 by request. It cannot prove that nothing is
 * missing: after a reconnect that these do not bridge, a gap is recorded.
 */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { Venue } from '../feed.ts';
import { OpenLine } from '../lines/open-line.ts';
import type { VenueKind, VenueSettings } from '../venue-kind.ts';
import { bybitContracts } from './bybit-contracts.ts';
import { BybitReader } from './bybit-reader.ts';
import { type BybitCategory, bybitPage, readBybitPage } from './bybit-trades.ts';

/** All topics of a connection must fit into 21,000 characters. */
const CONTRACTS_PER_CONNECTION = 200;
const PING_MS = 20_000;
const DEAD_AFTER_MS = 30_000;

export const bybitLinearKind: VenueKind = bybitKind(
  'linear',
  'Bybit linear perpetuals and futures',
  ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
);

export const bybitInverseKind: VenueKind = bybitKind(
  'inverse',
  'Bybit inverse perpetuals and futures',
  ['BTCUSD', 'ETHUSD'],
);

function bybitKind(category: BybitCategory, title: string, examples: readonly string[]): VenueKind {
  return {
    name: `bybit-${category}`,
    title,
    exchange: 'BYBIT',
    budgetGroup: 'bybit',
    addresses: { stream: 'wss://stream.bybit.com', rest: 'https://api.bybit.com' },
    needsKey: false,
    venueDataset: null,
    graceMs: 250,
    provesCompleteness: false,
    beginsEarlier: false,
    examples,
    open: (settings) => bybitVenue(category, settings),
    contracts: (network, { addresses }, venueSymbols, signal) =>
      bybitContracts(network, addresses.rest, category, venueSymbols, signal),
  };
}

function bybitVenue(category: BybitCategory, { addresses }: VenueSettings): Venue {
  const { stream, rest } = addresses;
  return {
    name: `bybit-${category}`,
    limits: {
      contractsPerConnection: CONTRACTS_PER_CONNECTION,
      // Half of what Bybit allows an address.
      requests: { units: 300, perMs: 5_000 },
      pageWeight: 1,
      pagesAtOnce: 8,
      connects: { units: 500, perMs: 5 * MINUTE_MS },
      messages: { units: 1_000, perMs: 10_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: { everyMs: PING_MS, message: JSON.stringify({ op: 'ping' }) },
    deadAfterMs: DEAD_AFTER_MS,
    address: () => `${stream}/v5/public/${category}`,
    // One topic each: a single unknown one would refuse all that are requested with it.
    subscribe: (contracts) =>
      contracts.map(({ venueSymbol }) =>
        JSON.stringify({
          req_id: venueSymbol,
          op: 'subscribe',
          args: [`publicTrade.${venueSymbol}`],
        }),
      ),
    reader: (contracts) => new BybitReader(contracts),
    line: ({ contract: { symbol }, ...options }) => new OpenLine({ symbol, ...options }),
    page: (contract) => bybitPage(rest, category, contract),
    readPage: (contract, _wish, answer) => readBybitPage(contract, answer),
  };
}
