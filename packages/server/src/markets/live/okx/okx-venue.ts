/** OKX as a venue: the stream of single trades, whose numbers have no holes, and pages that reach back three months. */

import type { Venue } from '../feed.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import type { VenueAddresses, VenueKind } from '../venue-kind.ts';
import { okxContracts } from './okx-contracts.ts';
import { OKX_CHANNEL, OkxReader } from './okx-reader.ts';
import { okxPage, readOkxPage } from './okx-trades.ts';

/**
 * Each contract has a subscription of its own, so that one that is refused leaves the others alone. A connection may make
 * 480 in an hour, and subscribes once.
 */
const CONTRACTS_PER_CONNECTION = 40;
/** Often: the answer moves the watermark while nothing is traded. */
const PING_MS = 5_000;
/** OKX ends a connection after 30 s of silence. */
const DEAD_AFTER_MS = 30_000;

export const okxKind: VenueKind = {
  name: 'okx',
  title: 'OKX swaps and futures',
  exchange: 'OKX',
  budgetGroup: 'okx',
  addresses: { stream: 'wss://ws.okx.com:8443', rest: 'https://www.okx.com' },
  needsKey: false,
  venueDataset: null,
  graceMs: 250,
  provesCompleteness: true,
  beginsEarlier: true,
  examples: ['BTC-USDT-SWAP', 'ETH-USDT-SWAP', 'SOL-USDT-SWAP'],
  open: ({ addresses }) => okxVenue(addresses),
  contracts: (network, { addresses }, venueSymbols, signal) =>
    okxContracts(network, addresses.rest, venueSymbols, signal),
};

function okxVenue({ stream, rest }: VenueAddresses): Venue {
  return {
    name: 'okx',
    limits: {
      contractsPerConnection: CONTRACTS_PER_CONNECTION,
      requests: { units: 20, perMs: 2_000 },
      pageWeight: 1,
      pagesAtOnce: 4,
      connects: { units: 3, perMs: 1_000 },
      messages: { units: 50, perMs: 1_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: { everyMs: PING_MS, message: 'ping' },
    deadAfterMs: DEAD_AFTER_MS,
    address: () => `${stream}/ws/v5/business`,
    subscribe: (contracts) =>
      contracts.map(({ venueSymbol }) => {
        const args = [{ channel: OKX_CHANNEL, instId: venueSymbol }];
        return JSON.stringify({ op: 'subscribe', args });
      }),
    reader: (contracts) => new OkxReader(contracts),
    line: ({ contract: { symbol }, ...options }) => new NumberedLine({ symbol, ...options }),
    page: (contract, wish) => okxPage(rest, contract, wish),
    readPage: readOkxPage,
  };
}
