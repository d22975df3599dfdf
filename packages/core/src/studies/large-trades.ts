/** `large-trades`: clusters of prints of one aggressor at or above a size. */

import { DEPTH_PARAMETER, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import {
  CLUSTER_END,
  CLUSTER_NAMES,
  CLUSTER_PROPERTIES,
  CLUSTER_RULES,
  CLUSTER_UPDATES,
  GAP_PARAMETER,
} from './cluster-parameters.ts';
import { ClusterStudy } from './cluster-study.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { price } from './price-schema.ts';
import {
  LOOK_BACK_SESSIONS_MAX,
  thresholdLookBackMax,
  thresholdOf,
  thresholdParameters,
} from './size-threshold.ts';

const DATA_PROPERTIES = {
  ...CLUSTER_PROPERTIES,
  high: price('Highest price, in ticks'),
  low: price('Lowest price, in ticks'),
  threshold: { type: 'integer', minimum: 1, description: 'Threshold in force, in lots' },
  end: CLUSTER_END,
};

export const largeTrades: Indicator = {
  id: 'large-trades',
  version: 1,
  name: 'Large trades',
  description:
    `Clusters of at least threshold lots. ${CLUSTER_RULES} A cluster is shown from the print that ` +
    `brings it to the threshold. ${CLUSTER_UPDATES} threshold: minSize, if that is not 0. With ` +
    'minSize 0 it is fixed when the session opens, and comes from one earlier session: the newest one ' +
    'that had a cluster and is complete, with all of its UTC days on the tape. It lies at most ' +
    `${LOOK_BACK_SESSIONS_MAX} sessions back, where complete and incomplete sessions count. The ` +
    'threshold is the size of the perSession-th largest cluster of that session, or of its smallest ' +
    `cluster if it had fewer. Without such a session there are no objects. ${CLUSTER_NAMES}`,
  parameters: [
    GAP_PARAMETER,
    ...thresholdParameters('cluster'),
    SESSION_PARAMETER,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
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
  lookBackSessionsMax: thresholdLookBackMax,
  create: (params) =>
    new ClusterStudy({
      gapMs: params.gapMs as number,
      threshold: thresholdOf(params),
      levelsMin: 0,
      dataOf: ({ levels: _, ...data }) => data,
    }),
};
