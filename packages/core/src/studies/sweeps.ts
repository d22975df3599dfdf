/** `sweeps`: clusters of prints of one aggressor that traded at several prices. */

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
import { MIN_SIZE_PARAMETER, SizeThreshold } from './size-threshold.ts';

const DATA_PROPERTIES = {
  ...CLUSTER_PROPERTIES,
  levels: { type: 'integer', minimum: 2, description: 'Distinct prices that traded' },
  end: CLUSTER_END,
};

export const sweeps: Indicator = {
  id: 'sweeps',
  version: 1,
  name: 'Sweeps',
  description:
    `Clusters that traded at levels or more distinct prices. ${CLUSTER_RULES} A price counts once, ` +
    'however often it trades; a price that was passed over without a print does not count. A cluster ' +
    'with fewer than minSize lots is no object; with minSize 0 any size is enough. A cluster is shown ' +
    `from the print that brings it to the required prices and lots. ${CLUSTER_UPDATES} ` +
    `${CLUSTER_NAMES}`,
  parameters: [
    GAP_PARAMETER,
    {
      name: 'levels',
      type: 'integer',
      default: 3,
      minimum: 2,
      maximum: 1_000,
      unit: 'prices',
      description: 'The fewest distinct prices at which a cluster must have traded.',
    },
    {
      ...MIN_SIZE_PARAMETER,
      description: 'Lots that a cluster must have at least; with 0 any size is enough.',
    },
    SESSION_PARAMETER,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'three-prices', name: 'One order through 3 prices', params: { levels: 3 } },
    { id: 'five-prices', name: 'One order through 5 prices', params: { levels: 5 } },
    {
      id: 'patient',
      name: '4 prices and 100 lots within gaps of 100 ms',
      params: { gapMs: 100, levels: 4, minSize: 100 },
    },
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
      levels: 3,
      end: '1794580263118204511',
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) =>
    new ClusterStudy({
      gapMs: params.gapMs as number,
      // Every cluster has at least one lot, so a minimum of 1 excludes none.
      threshold: new SizeThreshold({
        minSize: Math.max(1, params.minSize as number),
        perSession: 1,
      }),
      levelsMin: params.levels as number,
      dataOf: ({ high: _high, low: _low, threshold: _threshold, ...data }) => data,
    }),
};
