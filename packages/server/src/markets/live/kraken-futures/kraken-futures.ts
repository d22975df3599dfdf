/** Kraken Futures, as an operator chooses it. */

import type { VenueKind } from '../venue-kind.ts';
import { krakenContracts } from './kraken-contracts.ts';
import { krakenFuturesVenue } from './kraken-venue.ts';

export const krakenFutures: VenueKind = {
  name: 'kraken-futures',
  title: 'Kraken Futures',
  exchange: 'KRAKENFUTURES',
  budgetGroup: 'kraken-futures',
  addresses: {
    stream: 'wss://futures.kraken.com/ws/v1',
    rest: 'https://futures.kraken.com',
  },
  needsKey: false,
  venueDataset: null,
  graceMs: 500,
  provesCompleteness: true,
  // Or since the last restart of its engine.
  beginsEarlier: false,
  examples: ['PF_XBTUSD', 'PF_ETHUSD', 'PI_XBTUSD'],
  open: ({ addresses }) => krakenFuturesVenue(addresses),
  contracts: (network, { addresses }, venueSymbols, signal) =>
    krakenContracts(network, addresses, venueSymbols, signal),
};
