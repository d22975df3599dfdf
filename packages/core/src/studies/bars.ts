/** `bars`: price bars of all six kinds with volume by side. */

import {
  BAR_PARAMETERS,
  BAR_RULES,
  DEPTH_PARAMETER,
  SESSION_PARAMETER,
  sessionKind,
} from './bar-parameters.ts';
import { BarStudy } from './bar-study.ts';
import { BAR_DATA_PROPERTIES, BarSums } from './bar-sums.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { closedObject, type Indicator } from './indicator.ts';

export const bars: Indicator = {
  id: 'bars',
  version: 1,
  name: 'Bars',
  description:
    'Price bars with their volume by aggressor. bid is the volume of selling aggressors, ask the ' +
    'volume of buying aggressors, and unknown the volume of trades without a known side. volume is ' +
    'the sum of all three. delta is ask − bid. deltaMin and deltaMax are the extremes of the running ' +
    'delta within the bar, which starts at 0. high and low include open and close. A part of a split ' +
    `trade counts as one trade. ${BAR_RULES}`,
  parameters: [...BAR_PARAMETERS, SESSION_PARAMETER, DEPTH_PARAMETER],
  data: closedObject(BAR_DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: '1 minute', params: { bar: 'time', size: 60 } },
    { id: 'five-minutes', name: '5 minutes', params: { bar: 'time', size: 300 } },
    {
      id: 'regular-hours',
      name: '5 minutes, regular hours',
      params: { size: 300, session: 'rth' },
    },
    { id: 'thousand-trades', name: '1,000 trades', params: { bar: 'tick', size: 1_000 } },
    { id: 'range-eight', name: 'Range of 8 ticks', params: { bar: 'range', size: 8 } },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580260000000000',
    data: {
      open: 27_001,
      high: 27_006,
      low: 26_999,
      close: 27_004,
      volume: 412,
      bid: 180,
      ask: 230,
      unknown: 2,
      trades: 137,
      delta: 50,
      deltaMin: -12,
      deltaMax: 61,
      end: '1794580320000000000',
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) => new BarStudy(new BarSums(), (bar) => barCutter(params, bar)),
};
