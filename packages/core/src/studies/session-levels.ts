/** `session-levels`: the levels of the trading day, and those inherited from the day before. */

import type { SessionKind } from '../calendar/session.ts';
import { SESSION_PARAMETER, UTC_DAY } from './bar-parameters.ts';
import { closedObject, type Indicator, type Params } from './indicator.ts';
import { INITIAL_BALANCE_PARAMETER } from './initial-balance-parameter.ts';
import { price } from './price-schema.ts';
import {
  PREVIOUS_SESSIONS_MAX,
  SESSION_LEVEL_KINDS,
  SessionLevelsStudy,
} from './session-levels-study.ts';

const DATA_PROPERTIES = {
  kind: { type: 'string', enum: SESSION_LEVEL_KINDS, description: 'Kind of the level' },
  price: price('Price, in ticks'),
};

export const sessionLevels: Indicator = {
  id: 'session-levels',
  version: 1,
  name: 'Session levels',
  description:
    'The levels of the trading day, one object each. The parameter session sets the day: the trading ' +
    'day of the exchange (full), the regular hours inside it (rth), or the calendar day in UTC (utc). ' +
    'open: the price of the first trade of the day. high and low: the highest and the lowest price ' +
    'traded in the day. initialBalanceHigh and initialBalanceLow: the highest and the lowest price ' +
    'traded in the first initialBalanceMinutes of the day. overnightHigh and overnightLow: for full ' +
    'and rth, the highest and the lowest price traded from the open of the trading day to the open of ' +
    'its regular hours. Trades between regular hours and the close of the trading day before are not ' +
    'overnight. previousHigh, previousLow and previousClose: the high, the low and the last price of ' +
    'the newest earlier day that had a trade and is complete. A day is complete if the tape has all ' +
    'UTC days in which the day lies; for rth, all UTC days in which its trading day lies. The earlier ' +
    `day is at most ${PREVIOUS_SESSIONS_MAX} days back. Days without regular hours and incomplete ` +
    'days count as days; calendar days on which the market is never open do not. absent: a level ' +
    'without a source. The overnight levels are absent for utc, if a trading day has no regular ' +
    'hours, and if these begin it. The previous levels are absent if no such earlier day is known. An ' +
    'initial balance or a night without a trade has no levels. For rth, a trading day without regular ' +
    'hours has none at all. final: open and the previous levels at birth. The other levels move with ' +
    'the trades and become final by the clock: the overnight levels at the open of regular hours, the ' +
    'initial balance when its minutes are over (at the end of the day at the latest), high and low at ' +
    'the end of the day. birth: the previous levels are born with the first trade of the day or of ' +
    'the night before it, every other level with the first trade of its time. id: <UTC day>.<rank> of ' +
    'the trade with which the level is born, followed by the number of the level, .1 to .10, in the ' +
    'order open, high, low, previousHigh, previousLow, previousClose, overnightHigh, overnightLow, ' +
    'initialBalanceHigh, initialBalanceLow. ts: the time of that trade. updates: a level that is ' +
    'born, moves or becomes final is one update. Updates of several levels at once have the order of ' +
    'their numbers.',
  parameters: [
    INITIAL_BALANCE_PARAMETER,
    {
      ...SESSION_PARAMETER,
      description:
        'full: the trading day of the exchange; rth: its regular hours, with the night before them for ' +
        'the overnight levels; utc: ' +
        `${UTC_DAY} Other trades are ignored.`,
    },
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'regular-hours', name: 'Regular hours and the night before', params: { session: 'rth' } },
    { id: 'trading-day', name: 'The trading day', params: {} },
    {
      id: 'half-hour-balance',
      name: 'Regular hours, initial balance of 30 minutes',
      params: { session: 'rth', initialBalanceMinutes: 30 },
    },
  ],
  example: {
    id: '20261113.48211.2',
    final: false,
    ts: '1794580200004118203',
    data: { kind: 'high', price: 27_003 },
  },
  // Overnight trades are outside regular hours, but inside the trading day.
  sessionKind: ({ session }): SessionKind => (session === 'utc' ? 'utc' : 'full'),
  lookBackSessionsMax: () => PREVIOUS_SESSIONS_MAX,
  create: (params: Params) =>
    new SessionLevelsStudy({
      session: params.session as SessionKind,
      initialBalanceMinutes: params.initialBalanceMinutes as number,
    }),
};
