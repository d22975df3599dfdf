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
    description: 'Point of control, upper or lower edge of the value area',
  },
  price: price('Price of the row, in ticks'),
  sessionDate: {
    type: 'integer',
    description: 'Trading date of the session it comes from, written YYYYMMDD',
  },
};

export const nakedLevels: Indicator = {
  id: 'naked-levels',
  version: 2,
  name: 'Naked levels',
  description:
    'Levels of past sessions that price has not come back to. At the close of every whole session ' +
    `that had a trade three levels are born, from the volume by price of that session. ${PROFILE_RULES} A level ` +
    'is its whole row, from price to price + group − 1. It is removed by the trade that brings the range ' +
    'of a later session to it: the range runs from the lowest to the highest price that session has ' +
    'traded so far, so a level that price jumps over inside a session is traded, and one that lies in ' +
    `the gap between the close of a session and the open of the next is not. ${CARRIED_RULES} ` +
    'Sessions without a trade count as sessions. id: <UTC day>.<rank> of the first trade of the session ' +
    'it comes from, followed by .1 for poc, .2 for vah, .3 for val; ts: the time of that trade. ' +
    "sessionDate: that session's trading date. Every birth and every removal is one update: at a close " +
    'poc, vah and val are born in this order; a trade removes in the order of birth.',
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
