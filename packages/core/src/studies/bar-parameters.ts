/** The parameters every indicator built on bars shares, and the words that define the six kinds. */

import { SESSION_KINDS, type SessionKind } from '../calendar/session.ts';
import { BAR_KINDS } from './cutters/bar-kinds.ts';
import type { ParameterDefinition, Params } from './indicator.ts';

/** Objects of the current session that are kept for snapshots, and so the greatest depth. */
export const DEPTH_MAX = 5_000;

/** What `utc` means, in words. */
export const UTC_DAY =
  "the calendar day in UTC, from midnight to midnight, if by the exchange's hours the market is open at " +
  'any time of it. A day on which it never is (the Saturday of a market that rests until Sunday evening) is ' +
  'no session; that Sunday is one.';

export const SESSION_PARAMETER: ParameterDefinition = {
  name: 'session',
  type: 'string',
  default: 'full',
  values: SESSION_KINDS,
  description:
    `full: the trading day of the exchange; rth: its regular hours; utc: ${UTC_DAY} A look-back counts ` +
    'the sessions of this kind that there are, and no other days. Trades outside the session are ignored, ' +
    'and everything starts afresh at its open.',
};

export const DEPTH_PARAMETER: ParameterDefinition = {
  name: 'depth',
  type: 'integer',
  default: 500,
  minimum: 1,
  maximum: DEPTH_MAX,
  unit: 'objects',
  category: 'view',
  description: 'How many of the newest objects of the current session a snapshot carries at most.',
};

export const BAR_PARAMETERS: readonly ParameterDefinition[] = [
  {
    name: 'bar',
    type: 'string',
    default: 'time',
    values: BAR_KINDS,
    description: 'What ends a bar.',
  },
  {
    name: 'size',
    type: 'integer',
    default: 60,
    defaultBy: {
      by: 'bar',
      values: { time: 60, tick: 1_000, volume: 1_000, range: 8, delta: 500, renko: 8 },
    },
    minimum: 1,
    maximum: 1_000_000_000,
    unit: 'seconds, trades, lots or ticks',
    description:
      'Size of a bar: seconds for time, trades for tick, lots for volume and delta, ticks for range ' +
      'and renko.',
  },
];

export const BAR_RULES =
  'All bars start afresh at the open of the session and end at its close; no bar is without a trade, ' +
  'save empty renko bricks. time: bar n covers [open + n × size, open + (n + 1) × size) and ends by ' +
  'the clock, at the close at the latest. tick: ends with its size-th trade. volume: holds exactly ' +
  'size lots; a trade that does not fit is split, one part filling the bar, the rest starting further ' +
  'bars. range: the trade that would make high − low exceed size ends the bar and starts the next. ' +
  'delta: ends with the trade that brings |ask − bid| to size or beyond. renko: on a grid from the ' +
  "session's first price; the first brick is complete size above or below it; after a brick that " +
  'closed at c, the next one in its direction runs from c to c ± size, one against it from one size ' +
  'back to two sizes back. A trade that completes several bricks belongs to the last; the forming one ' +
  'keeps what it had, those between are empty. A brick opens and closes at its edges; while it forms, ' +
  'and when the session ends it, it opens where the last brick closed (the first one at the first ' +
  'price) and closes at its last price. A trade starts at most 1,000 bars: the last takes what is ' +
  'left. id: <UTC day>.<rank> of the first trade, for volume and renko followed by .<n>, the n-th bar ' +
  "that trade starts; an empty brick's first trade is the one that completes it. ts: for time the " +
  "bar's nominal open, else the first trade's time. end: the nominal end of a time bar or the close " +
  'of the session where the clock ended the bar, else the time of the trade that ended it (for range ' +
  'the one that would have exceeded); while the bar forms, the time of its last trade. A trade causes ' +
  'one update per bar it touches; a bar that is full is final in that update, one ended by the next ' +
  'trade (range) or by the clock becomes final by one update more.';

export function sessionKind(params: Params): SessionKind {
  return params.session as SessionKind;
}
