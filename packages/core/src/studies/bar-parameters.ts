/** The parameters every indicator built on bars shares, and the words that define the six kinds. */

import { SESSION_KINDS, type SessionKind } from '../calendar/session.ts';
import { BAR_KINDS } from './cutters/bar-kinds.ts';
import type { ParameterDefinition, Params } from './indicator.ts';

/** Objects of the current session that are kept for snapshots, and so the greatest depth. */
export const DEPTH_MAX = 5_000;

/** What `utc` means, in words. */
export const UTC_DAY =
  "the calendar day in UTC, from midnight to midnight, if by the exchange's hours the market is " +
  'open at any time of that day. A day on which the market is never open is no session, such as the ' +
  'Saturday of a market that rests until Sunday evening; that Sunday is a session.';

export const SESSION_PARAMETER: ParameterDefinition = {
  name: 'session',
  type: 'string',
  default: 'full',
  values: SESSION_KINDS,
  description:
    `full: the trading day of the exchange; rth: its regular hours; utc: ${UTC_DAY} A look-back ` +
    'counts existing sessions of this kind only, not days without one. Trades outside the session are ' +
    'ignored, and everything starts afresh at its open.',
};

export const DEPTH_PARAMETER: ParameterDefinition = {
  name: 'depth',
  type: 'integer',
  default: 500,
  minimum: 1,
  maximum: DEPTH_MAX,
  unit: 'objects',
  category: 'view',
  description: 'The most objects in a snapshot: the newest ones of the current session.',
};

export const BAR_PARAMETERS: readonly ParameterDefinition[] = [
  {
    name: 'bar',
    type: 'string',
    default: 'time',
    values: BAR_KINDS,
    description: 'The rule that ends a bar.',
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
  'All bars start afresh at the open of the session, and its close ends them. Every bar has a ' +
  'trade, except an empty renko brick. A trade starts at most 1,000 bars. The last of them takes ' +
  'the rest: the remaining lots (volume), or the remaining distance to the farthest grid price that ' +
  'the trade reached (renko). time: bar n = 0, 1, 2 … covers [open + n × size, open + (n + 1) × ' +
  'size). The clock ends it, at the close at the latest. tick: a bar ends with its size-th trade. ' +
  'volume: a bar holds exactly size lots. A trade that does not fit is split: one part fills the ' +
  'bar, and the rest starts further bars. range: the trade that would make high − low exceed size ' +
  'ends the bar and starts the next one. delta: a bar ends with the trade that brings |ask − bid| ' +
  'to size or beyond. renko: bricks lie on a grid of size ticks that starts at the first price of ' +
  'the session. The first brick is complete size above or below that price. After a brick that ' +
  'closed at c, the next brick in its direction runs from c to c ± size. The next brick against its ' +
  'direction runs from one size back to two sizes back. A trade that completes several bricks ' +
  'belongs to the last of them. The brick that was forming keeps the trades it had, and the bricks ' +
  'between are empty. A complete brick opens and closes at its edges. While a brick forms, and when ' +
  'the close of the session ends it, it opens where the last brick closed (the first brick: at the ' +
  'first price) and closes at its last price. id: <UTC day>.<rank> of the first trade of the bar. ' +
  'For volume and renko .<n> follows: the bar is the n-th that this trade starts. The first trade ' +
  'of an empty brick is the trade that completes it. ts: the nominal open of a time bar, otherwise ' +
  'the time of the first trade. end: if the clock ended the bar, the nominal end of a time bar or ' +
  'the close of the session, whichever is earlier. Otherwise the time of the trade that ended the ' +
  'bar; for range that is the trade that would have exceeded size. While the bar forms, the time of ' +
  'its last trade. updates: a trade causes one update per bar that it touches. A full bar is final ' +
  'in that update. A bar that the next trade (range) or the clock ends becomes final by one further ' +
  'update.';

export function sessionKind(params: Params): SessionKind {
  return params.session as SessionKind;
}
