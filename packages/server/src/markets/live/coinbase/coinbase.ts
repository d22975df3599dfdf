/** Coinbase, as an operator chooses it. */

import type { VenueKind } from '../venue-kind.ts';
import { coinbaseContracts } from './coinbase-contracts.ts';
import { coinbaseVenue } from './coinbase-venue.ts';

export const coinbase: VenueKind = {
  name: 'coinbase',
  title: 'Coinbase',
  exchange: 'COINBASE',
  budgetGroup: 'coinbase',
  addresses: {
    stream: 'wss://advanced-trade-ws.coinbase.com',
    rest: 'https://api.exchange.coinbase.com',
  },
  needsKey: false,
  venueDataset: null,
  // Batches of 250 ms, and their way.
  graceMs: 750,
  provesCompleteness: true,
  beginsEarlier: true,
  examples: ['BTC-USD', 'ETH-USD', 'SOL-USD'],
  open: ({ addresses }) => coinbaseVenue(addresses),
  contracts: (network, { addresses }, venueSymbols, signal) =>
    coinbaseContracts(network, addresses, venueSymbols, signal),
};
