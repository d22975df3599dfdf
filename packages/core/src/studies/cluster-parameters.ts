/** What the indicators made of clusters share: the longest gap, and the words that define a cluster. */

import type { ParameterDefinition } from './indicator.ts';
import { price } from './price-schema.ts';

export const GAP_PARAMETER: ParameterDefinition = {
  name: 'gapMs',
  type: 'integer',
  default: 0,
  minimum: 0,
  maximum: 60_000,
  unit: 'milliseconds',
  description: 'Longest time between two neighbouring prints of a cluster.',
};

export const CLUSTER_PROPERTIES = {
  side: { type: 'integer', enum: [-1, 1], description: 'Aggressor: 1 buyer, -1 seller' },
  size: { type: 'integer', minimum: 1, description: 'Lots of all prints' },
  trades: { type: 'integer', minimum: 1, description: 'Number of prints' },
  first: price('Price of the first print, in ticks'),
  last: price('Price of the last print, in ticks'),
};

export const CLUSTER_END = {
  type: 'string',
  pattern: '^[0-9]+$',
  description: 'Time of the last print',
};

export const CLUSTER_RULES =
  'A cluster is a run of consecutive prints of one known side, each at most gapMs after the print ' +
  'before it (gapMs 0: at the same time). A print of the other side or of an unknown side ends it, ' +
  'and so does the close of the session.';

export const CLUSTER_UPDATES =
  'That print and each further print of the cluster cause one update each. One more update makes ' +
  'the cluster final: the first update of the print of another side that ends it, or an update by ' +
  'the clock, gapMs and 1 ns after its last print or at the close of the session, whichever is ' +
  'earlier.';

export const CLUSTER_NAMES =
  'id: <UTC day>.<rank> of the first print. ts: the time of the first print. end: the time of the last print.';
