/** `tpo`: the market profile of a session, time at each price by letters. */

import { SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { INITIAL_BALANCE_PARAMETER } from './initial-balance-parameter.ts';
import { PRICE_UNIT, price, ROW_PRICE_MEMBER } from './price-schema.ts';
import { PROFILE_PARAMETERS, profileRule } from './profile.ts';
import { TpoStudy } from './tpo-study.ts';

const MINUTES_PER_DAY = 1_440;

const orNull = (description: string) => ({ ...price(description), type: ['integer', 'null'] });

const DATA_PROPERTIES = {
  rows: {
    type: 'array',
    description: '[price, letters] of the rows that traded, ascending by price',
    items: {
      type: 'array',
      prefixItems: [ROW_PRICE_MEMBER, { title: 'letters', type: 'string', pattern: '^[A-Za-z]+$' }],
      items: false,
      minItems: 2,
      maxItems: 2,
    },
  },
  poc: price('Price of the row with the most TPOs'),
  vah: price('Price of the highest row of the value area'),
  val: price('Price of the lowest row of the value area'),
  ibHigh: orNull(
    'Highest price of the initial balance, in ticks; null if there was no trade in it',
  ),
  ibLow: orNull('Lowest price of the initial balance, in ticks; null if there was no trade in it'),
  singles: {
    type: 'array',
    description: 'Prices of the rows with exactly one TPO, ascending',
    items: { type: 'integer', ...PRICE_UNIT },
  },
  high: price('Highest price, in ticks'),
  low: price('Lowest price, in ticks'),
};

export const tpo: Indicator = {
  id: 'tpo',
  version: 1,
  name: 'Market profile (TPO)',
  description:
    'The time at each price of a session. Bracket n = 0, 1, 2 … covers [open + n × bracketMinutes, ' +
    'open + (n + 1) × bracketMinutes). The brackets have the letters A to Z, then a to z; after z the ' +
    'letters begin again at A. A TPO is one bracket at one row of group ticks. A row has the letter ' +
    'of every bracket in which a trade took place at one of its prices, once each, in the order of ' +
    'time. Prices without a trade have no letter. rows: [price, letters] of the rows that have a ' +
    'letter. poc: the row with the most TPOs; pocTie decides between equal rows. With pocTie first it ' +
    'is the row that reached this number by the earlier trade. val and vah: the lowest and the ' +
    'highest row of the value area. The value area starts with the poc. Each step adds the next two ' +
    'traded rows above or the next two below, whichever have more TPOs; at a tie the rows above. ' +
    'Where only one row is left on a side, that row alone counts. The steps end when the area has at ' +
    'least valueArea percent of all TPOs. ibHigh and ibLow: the highest and the lowest price traded ' +
    'in [open, open + initialBalanceMinutes), null if there was no trade. singles: the rows with ' +
    'exactly one TPO, including those at the top and the bottom of the profile (its tails) and those ' +
    'of the current bracket. high and low: the highest and the lowest price traded, whatever group ' +
    'is. id: <UTC day>.<rank> of the first trade of the session. ts: the open of the session. ' +
    'updates: a trade that adds a TPO or makes a new high or low causes one update; any other trade ' +
    'causes none. The close of the session causes one more, which is final.',
  parameters: [
    {
      name: 'bracketMinutes',
      type: 'integer',
      default: 30,
      minimum: 1,
      maximum: MINUTES_PER_DAY,
      unit: 'minutes',
      description: "Length of a bracket, counted from the session's open.",
    },
    INITIAL_BALANCE_PARAMETER,
    SESSION_PARAMETER,
    ...PROFILE_PARAMETERS,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'half-hours', name: '30 minutes, regular hours', params: { session: 'rth' } },
    { id: 'trading-day', name: '30 minutes, the trading day', params: {} },
    {
      id: 'wide-rows',
      name: '30 minutes, regular hours, 4 ticks a row',
      params: { session: 'rth', group: 4 },
    },
    {
      id: 'quarter-hours',
      name: '15 minutes, initial balance of 30',
      params: { session: 'rth', bracketMinutes: 15, initialBalanceMinutes: 30 },
    },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580200000000000',
    data: {
      rows: [
        [27_001, 'C'],
        [27_002, 'ABC'],
        [27_003, 'AB'],
        [27_004, 'B'],
      ],
      poc: 27_002,
      vah: 27_004,
      val: 27_002,
      ibHigh: 27_004,
      ibLow: 27_002,
      singles: [27_001, 27_004],
      high: 27_004,
      low: 27_001,
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) =>
    new TpoStudy({
      ...profileRule(params),
      group: params.group as number,
      bracketMinutes: params.bracketMinutes as number,
      initialBalanceMinutes: params.initialBalanceMinutes as number,
    }),
};
