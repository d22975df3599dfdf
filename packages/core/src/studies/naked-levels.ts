/** `naked-levels`: points of control and value area edges of past sessions that were not traded since. */

import { SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { CARRIED_RULES, LOOK_BACK_PARAMETER } from './look-back-parameter.ts';
import { NAKED_LEVEL_KINDS, NakedLevelsStudy } from './naked-levels-study.ts';
import { price } from './price-schema.ts';
import { PROFILE_PARAMETERS, PROFILE_RULES, profileRule } from './profile.ts';

const DATA_PROPERTIES = {
  kind: {
    type: 'string',
    enum: NAKED_LEVEL_KINDS,
    description:
      'poc: the point of control; vah: the upper edge of the value area; val: its lower edge',
  },
  price: price('Price of the row, in ticks'),
  sessionDate: {
    type: 'integer',
    description: 'Trading date of the session that the level comes from, written YYYYMMDD',
  },
};

export const nakedLevels: Indicator = {
  id: 'naked-levels',
  version: 2,
  name: 'Naked levels',
  description:
    'Levels of past sessions to which price has not come back. At the close of every session that is ' +
    'whole on the tape and had a trade, three levels are born from its volume by price. ' +
    `${PROFILE_RULES} level: the whole row, from price to price + group − 1. removal: the trade that ` +
    'brings the range of a later session to a level removes it. The range of a session runs from the ' +
    'lowest to the highest price that it has traded so far. So a level that price jumps over inside a ' +
    'session counts as traded. A level in the gap between the close of a session and the open of the ' +
    `next does not. ${CARRIED_RULES} Sessions without a trade count as sessions. id: <UTC day>.<rank> ` +
    'of the first trade of the session that the level comes from, followed by .1 for poc, .2 for vah, ' +
    '.3 for val. ts: the time of that trade. sessionDate: the trading date of that session. updates: ' +
    'every birth and every removal is one update. At a close poc, vah and val are born in this order. ' +
    'A trade removes levels in the order of their birth.',
  parameters: [{ ...LOOK_BACK_PARAMETER, default: 10 }, SESSION_PARAMETER, ...PROFILE_PARAMETERS],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'two-weeks', name: 'The last 10 trading days', params: {} },
    { id: 'regular-hours', name: 'Regular hours of 10 days', params: { session: 'rth' } },
    { id: 'week', name: 'Regular hours of 5 days', params: { session: 'rth', lookback: 5 } },
  ],
  example: {
    id: '20261111.88204.1',
    final: true,
    ts: '1794407400114203377',
    data: { kind: 'poc', price: 27_002, sessionDate: 20_261_111 },
  },
  sessionKind,
  lookBackSessionsMax: ({ lookback }) => lookback as number,
  objectsOutliveSession: true,
  create: (params) =>
    new NakedLevelsStudy({
      ...profileRule(params),
      group: params.group as number,
      lookBackSessions: params.lookback as number,
    }),
};
