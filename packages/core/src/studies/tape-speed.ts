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
    'Seconds of the session in which something traded. Second n = 0, 1, 2 … covers [open + n s, ' +
    'open + (n + 1) s), trades of all sides; the close of the session cuts the last one off. trades ' +
    'and volume are those of the second. rate is the number of trades in the window divided by its ' +
    'seconds: the window is this second and the windowSeconds − 1 before it, or all n + 1 seconds ' +
    'since the open where these are fewer. average is the number of trades since the open, this ' +
    'second included, divided by n + 1. Seconds without a trade have no object, but count in both. ' +
    'The numbers are divided as if the second were over, also while it forms, and rounded once to 6 ' +
    'decimals, halves up; burst compares them unrounded. A second is shown from its first trade with ' +
    'one update per trade, and becomes final by one update more when it ends by the clock. id: <UTC ' +
    "day>.<rank> of its first trade; ts: the second's start.",
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
      description: 'How many times the average the rate must exceed to be a burst.',
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
