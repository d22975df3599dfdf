/** `large-trades`: clusters of prints of one aggressor at or above a size. */

import { DEPTH_PARAMETER, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { ClusterStudy, LOOK_BACK_SESSIONS_MAX } from './cluster-study.ts';
import type { Indicator } from './indicator.ts';

const integer = (description: string) => ({ type: 'integer', description });

const DATA_PROPERTIES = {
  side: { type: 'integer', enum: [-1, 1], description: 'Aggressor: 1 buyer, -1 seller' },
  size: { type: 'integer', minimum: 1, description: 'Lots of all prints' },
  trades: { type: 'integer', minimum: 1, description: 'Prints' },
  first: integer('Price of the first print, in ticks'),
  last: integer('Price of the last print, in ticks'),
  high: integer('Highest price, in ticks'),
  low: integer('Lowest price, in ticks'),
  threshold: { type: 'integer', minimum: 1, description: 'Lots that made it large' },
  end: { type: 'string', pattern: '^[0-9]+$', description: 'Time of its last print' },
};

export const largeTrades: Indicator = {
  id: 'large-trades',
  name: 'Large trades',
  description:
    'Clusters of at least threshold lots. A cluster is a run of consecutive prints of one known side, ' +
    'each at most gapMs after the one before (0: at the same time); a print of the other or of an ' +
    'unknown side ends it, and so does the close of the session. It is shown from the print that ' +
    'brings it to the threshold, grows with one update per print, and becomes final by one update ' +
    'more: the first of the print of another side that ends it, or by the clock gapMs and 1 ns after ' +
    'its last print. threshold is minSize; with minSize 0 it is, fixed when the session opens, the ' +
    'size of the perSession-th largest cluster of the newest earlier session that had any (at most ' +
    `${LOOK_BACK_SESSIONS_MAX} sessions back; of the smallest where there were fewer); without such a ` +
    "session there are no objects. id: <UTC day>.<rank> of the first print, ts its time; end: the last print's time.",
  parameters: [
    {
      name: 'gapMs',
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 60_000,
      unit: 'milliseconds',
      description: 'Longest time between two neighbouring prints of a cluster.',
    },
    {
      name: 'minSize',
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 1_000_000_000,
      unit: 'lots',
      description: 'Lots a cluster must have; 0 takes the threshold from an earlier session.',
    },
    {
      name: 'perSession',
      type: 'integer',
      default: 100,
      minimum: 1,
      maximum: 10_000,
      unit: 'clusters',
      description: 'With minSize 0: how many clusters of the earlier session reach the threshold.',
    },
    SESSION_PARAMETER,
    DEPTH_PARAMETER,
  ],
  data: {
    type: 'object',
    properties: DATA_PROPERTIES,
    required: Object.keys(DATA_PROPERTIES),
    additionalProperties: false,
  },
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'hundred-a-day', name: 'The 100 largest of a session', params: { perSession: 100 } },
    { id: 'ten-a-day', name: 'The 10 largest of a session', params: { perSession: 10 } },
    { id: 'fifty-lots', name: '50 lots or more', params: { minSize: 50 } },
    { id: 'patient', name: '100 lots within gaps of 100 ms', params: { gapMs: 100, minSize: 100 } },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580263118204511',
    data: {
      side: 1,
      size: 240,
      trades: 7,
      first: 27_001,
      last: 27_003,
      high: 27_003,
      low: 27_001,
      threshold: 150,
      end: '1794580263118204511',
    },
  },
  sessionKind,
  lookBackSessionsMax: (params) => (params.minSize === 0 ? LOOK_BACK_SESSIONS_MAX : 0),
  create: (params) =>
    new ClusterStudy({
      gapMs: params.gapMs as number,
      minSize: params.minSize as number,
      perSession: params.perSession as number,
    }),
};
