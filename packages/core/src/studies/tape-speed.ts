/** `tape-speed`: the rate of trades, second by second, compared with the session so far. */

import { DEPTH_PARAMETER, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { BarStudy } from './bar-study.ts';
import { TimeCutter } from './cutters/time-cutter.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { SecondCounts } from './second-counts.ts';

const perSecond = (description: string) => ({ type: 'number', minimum: 0, description });

const DATA_PROPERTIES = {
  trades: { type: 'integer', minimum: 1, description: 'Trades of the second' },
  volume: { type: 'integer', minimum: 1, description: 'Lots of the second' },
  rate: perSecond('Trades per second in the window that ends with this second'),
  average: perSecond("Trades per second from the session's open to the end of this second"),
  burst: { type: 'boolean', description: 'Whether rate is greater than pace × average' },
};

export const tapeSpeed: Indicator = {
  id: 'tape-speed',
  version: 1,
  name: 'Tape speed',
  description:
    'The speed of the tape, in one object for each second of the session in which a trade took place. ' +
    'Second n = 0, 1, 2 … covers [open + n s, open + (n + 1) s); the close of the session cuts the ' +
    'last second short. Trades of all sides count. trades and volume: the trades of the second, and ' +
    'their lots. rate: the number of trades in the window divided by its seconds. The window has this ' +
    'second and the windowSeconds − 1 seconds before it, or all n + 1 seconds since the open if these ' +
    'are fewer. average: the number of trades since the open, this second included, divided by n + 1. ' +
    'Seconds without a trade have no object, but count in rate and average. Both are divided as if ' +
    'the second were over, also while it forms, and rounded once to 6 decimals, halves up. burst: ' +
    'whether rate is greater than pace × average, both unrounded. id: <UTC day>.<rank> of the first ' +
    'trade of the second. ts: the start of the second. updates: a second is shown from its first ' +
    'trade on, and each trade causes one update. One more update makes it final when it ends by the ' +
    'clock.',
  parameters: [
    {
      name: 'windowSeconds',
      type: 'integer',
      default: 15,
      minimum: 1,
      maximum: 3_600,
      unit: 'seconds',
      description: 'Length of the window whose rate is measured.',
    },
    {
      name: 'pace',
      type: 'number',
      default: 1.5,
      minimum: 1,
      maximum: 100,
      multipleOf: 0.01,
      description: 'A rate above pace × the average is a burst.',
    },
    SESSION_PARAMETER,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'fifteen-seconds', name: '15 seconds at 1.5 × the average', params: {} },
    { id: 'minute', name: 'A minute at twice the average', params: { windowSeconds: 60, pace: 2 } },
    { id: 'spikes', name: 'Seconds at 5 × the average', params: { windowSeconds: 1, pace: 5 } },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580263000000000',
    data: { trades: 61, volume: 240, rate: 31.466667, average: 12.190311, burst: true },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) =>
    new BarStudy(
      new SecondCounts({
        windowSeconds: params.windowSeconds as number,
        pace: params.pace as number,
      }),
      (bar) => new TimeCutter(bar, 1),
    ),
};
