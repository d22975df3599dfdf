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
  kind: { type: 'string', enum: SESSION_LEVEL_KINDS, description: 'Which level it is' },
  price: price('Price, in ticks'),
};

export const sessionLevels: Indicator = {
  id: 'session-levels',
  version: 1,
  name: 'Session levels',
  description:
    'The levels of the trading day, one object each. The day is, by session, the trading day of the ' +
    'exchange (full), the regular hours inside it (rth), or the calendar day in UTC (utc). open: price ' +
    'of its first trade; high and low: highest and lowest price traded in it. initialBalanceHigh and ' +
    'initialBalanceLow: the same of its first initialBalanceMinutes. overnightHigh and overnightLow, ' +
    'for full and rth: the same of the trades from the open of the trading day to the open of its ' +
    'regular hours; trades between regular hours and the close of the trading day before are not ' +
    'overnight. previousHigh, previousLow and previousClose: high, low and last price of the newest ' +
    'earlier day that had a trade and is complete (all UTC days that it, or for rth its trading day, ' +
    `lies in are on the tape), at most ${PREVIOUS_SESSIONS_MAX} days back, days without regular hours ` +
    'and incomplete ones counted, calendar days on which the market is never open not. ' +
    'A level that nothing gives is absent: overnight levels for utc, where a trading day ' +
    'has no regular hours, or where these begin it; previous ones where no such day is known; an ' +
    'initial balance or a night without a trade; for rth, all levels of a trading day without regular ' +
    'hours. open and the previous levels are final at ' +
    'birth. The others move with the trades and become final by the clock: overnight levels at the open ' +
    'of regular hours, the initial balance when its minutes are over (with the day at the latest), high ' +
    'and low at the end of the day. Previous levels are born with the first trade of the day or of the ' +
    'night before it, every other level with the first trade of its time. id: <UTC day>.<rank> of that ' +
    "trade, followed by the level's number, .1 to .10, in the order open, high, low, previousHigh, " +
    'previousLow, previousClose, overnightHigh, overnightLow, initialBalanceHigh, initialBalanceLow; ts: ' +
    'the time of that trade. A level that is born, moves or becomes final is one update; what happens ' +
    'to several at once happens in the order of their numbers.',
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
