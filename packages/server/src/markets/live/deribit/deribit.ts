/** Deribit, as an operator chooses it. */

import type { VenueKind } from '../venue-kind.ts';
import { deribitContracts } from './deribit-contracts.ts';
import { deribitVenue } from './deribit-venue.ts';

export const deribit: VenueKind = {
  name: 'deribit',
  title: 'Deribit',
  exchange: 'DERIBIT',
  budgetGroup: 'deribit',
  addresses: {
    stream: 'wss://www.deribit.com/ws/api/v2',
    rest: 'https://www.deribit.com/api/v2',
  },
  needsKey: false,
  venueDataset: null,
  // Batches of 100 ms, and their way.
  graceMs: 400,
  provesCompleteness: true,
  beginsEarlier: true,
  examples: ['BTC-PERPETUAL', 'ETH-PERPETUAL', 'BTC_USDC-PERPETUAL'],
  open: ({ addresses }) => deribitVenue(addresses),
  contracts: (network, { addresses }, venueSymbols, signal) =>
    deribitContracts(network, addresses, venueSymbols, signal),
};
