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
  trades: { type: 'integer', minimum: 1, description: 'Prints' },
  first: price('Price of the first print, in ticks'),
  last: price('Price of the last print, in ticks'),
};

export const CLUSTER_END = {
  type: 'string',
  pattern: '^[0-9]+$',
  description: 'Time of its last print',
};

export const CLUSTER_RULES =
  'A cluster is a run of consecutive prints of one known side, each at most gapMs after the one before ' +
  '(0: at the same time); a print of the other or of an unknown side ends it, and so does the close ' +
  'of the session.';

export const CLUSTER_UPDATES =
  'grows with one update per print, and becomes final by one update more: the first of the print of ' +
  'another side that ends it, or by the clock gapMs and 1 ns after its last print.';

export const CLUSTER_NAMES =
  "id: <UTC day>.<rank> of the first print, ts its time; end: the last print's time.";
