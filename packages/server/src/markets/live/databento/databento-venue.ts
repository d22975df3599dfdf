/** Databento's live gateway as a venue: one session repeats and streams the trades of many contracts. */

import type { Venue } from '../feed.ts';
import { CountedLine } from '../lines/counted-line.ts';
import { VenueError, type VenueSettings } from '../venue-kind.ts';
import { DatabentoReader } from './databento-reader.ts';

export const DATABENTO = 'databento';
export const DEFAULT_DATASET = 'GLBX.MDP3';
export const DATABENTO_STREAM = 'tcp://{dataset}.lsg.databento.com:13000';

/** A team has ten sessions for a dataset: few connections with many contracts. */
const CONTRACTS_PER_CONNECTION = 2_000;

/** Without a key there is nothing to say: a `VenueError`. */
export function databentoVenue(settings: VenueSettings): Venue {
  const key = keyOf(settings);
  const dataset = datasetOf(settings);
  return {
    name: DATABENTO,
    limits: {
      contractsPerConnection: CONTRACTS_PER_CONNECTION,
      // There are no requests: the past comes with the stream.
      requests: { units: 1, perMs: 1_000 },
      pageWeight: 1,
      pagesAtOnce: 1,
      connects: { units: 5, perMs: 1_000 },
      messages: { units: 10, perMs: 1_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: null,
    // A heartbeat comes every 5 s.
    deadAfterMs: 15_000,
    address: () => streamAddress(settings),
    subscribe: () => [],
    reader: (contracts, lines, venueNow) =>
      new DatabentoReader({ key, dataset, contracts, lines, venueNow }),
    line: ({ contract: { symbol }, ...options }) => new CountedLine({ symbol, ...options }),
    page: null,
    readPage: () => ({ kind: 'refused', why: 'the venue has no pages', retryAfterMs: null }),
  };
}

export function keyOf({ key }: VenueSettings): string {
  if (key !== null && key !== '') return key;
  throw new VenueError('Databento needs a key: give the file that has it.', false);
}

export function datasetOf({ venueDataset }: VenueSettings): string {
  return venueDataset ?? DEFAULT_DATASET;
}

/** `GLBX.MDP3` is at `glbx-mdp3.lsg.databento.com`. */
export function streamAddress(settings: VenueSettings): string {
  const host = datasetOf(settings).toLowerCase().replaceAll('.', '-');
  return settings.addresses.stream.replace('{dataset}', host);
}
