/** Databento live as a kind of venue. */

import type { VenueKind } from '../venue-kind.ts';
import { databentoContracts } from './databento-contracts.ts';
import { DATABENTO, DATABENTO_STREAM, DEFAULT_DATASET, databentoVenue } from './databento-venue.ts';

export const databentoKind: VenueKind = {
  name: DATABENTO,
  title: 'Databento live',
  exchange: 'CME',
  budgetGroup: DATABENTO,
  addresses: { stream: DATABENTO_STREAM, rest: '' },
  needsKey: true,
  venueDataset: DEFAULT_DATASET,
  graceMs: 500,
  provesCompleteness: true,
  beginsEarlier: true,
  examples: ['ESZ6', 'NQZ6', 'CLF7', 'GCG7'],
  open: databentoVenue,
  contracts: databentoContracts,
};
