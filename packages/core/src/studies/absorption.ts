/** `absorption`: prices that held against many lots of one aggressor. */

import { AbsorptionStudy } from './absorption-study.ts';
import { DEPTH_PARAMETER, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { price, TICKS_UNIT } from './price-schema.ts';
import {
  LOOK_BACK_SESSIONS_MAX,
  thresholdLookBackMax,
  thresholdOf,
  thresholdParameters,
} from './size-threshold.ts';

const DATA_PROPERTIES = {
  side: { type: 'integer', enum: [-1, 1], description: 'Aggressor absorbed: 1 buyer, -1 seller' },
  price: price('The price that held, in ticks'),
  volume: { type: 'integer', minimum: 1, description: 'Lots of its prints' },
  trades: { type: 'integer', minimum: 1, description: 'Number of its prints' },
  maxSlip: {
    type: 'integer',
    minimum: 0,
    ...TICKS_UNIT,
    description: 'Most ticks a trade went beyond the price during the hold',
  },
  threshold: { type: 'integer', minimum: 1, description: 'Threshold in force, in lots' },
  end: { type: 'string', pattern: '^[0-9]+$', description: 'End of the hold' },
};

export const absorption: Indicator = {
  id: 'absorption',
  version: 1,
  name: 'Absorption',
  description:
    'Prices at which one side traded threshold lots or more in a short time, and the price did not go ' +
    'further. The window of a print of a known side has this print and the earlier prints of its side ' +
    'at its price, less than windowMs before it. A print whose window has at least threshold lots ' +
    'starts a hold of holdMs at its price and side. A later trade of any side breaks the hold if it ' +
    'is more than slip ticks beyond the price: above it for buyers, below it for sellers. A broken ' +
    'hold gives no object, and neither does a hold that the close of the session cuts short. An ' +
    'unbroken hold becomes an object when it ends: by the clock, holdMs after the print that started ' +
    'it. The object is final at once, by one update. Holds that end at the same time do so in the ' +
    'order in which they started. The prints of a hold are those of its window, and those of its side ' +
    'at its price during the hold. A trade at the very end of the hold comes after it. These prints ' +
    'count in no other window, even if the hold is broken, so a new hold needs threshold lots of new ' +
    'prints. volume and trades: the lots of these prints, and their number. maxSlip: the most ticks ' +
    'that a trade went beyond the price during the hold, 0 if none did. end: the end of the hold. ' +
    'threshold: minSize, if that is not 0. With minSize 0 it is fixed when the session opens, and ' +
    'comes from one earlier session: the newest one that had a window and is complete, with all of ' +
    `its UTC days on the tape. It lies at most ${LOOK_BACK_SESSIONS_MAX} sessions back, where ` +
    'complete and incomplete sessions count. The threshold is the perSession-th largest volume of the ' +
    'consecutive windows of that session, or the smallest if there were fewer. Consecutive windows ' +
    'are made for each price and known side: the first print starts a window with all prints less ' +
    'than windowMs after it, and the next print starts the next window. Without such a session there ' +
    'are no objects. id: <UTC day>.<rank> of the first print of the hold. ts: the time of that print.',
  parameters: [
    {
      name: 'windowMs',
      type: 'integer',
      default: 10_000,
      minimum: 1,
      maximum: 600_000,
      unit: 'milliseconds',
      description: 'Time within which the lots must trade at the price.',
    },
    {
      name: 'holdMs',
      type: 'integer',
      default: 5_000,
      minimum: 1,
      maximum: 600_000,
      unit: 'milliseconds',
      description: 'Time for which the price must hold afterwards.',
    },
    {
      name: 'slip',
      type: 'integer',
      default: 1,
      minimum: 0,
      maximum: 100,
      unit: 'ticks',
      description: 'The most ticks that a trade may go beyond the price while it holds.',
    },
    ...thresholdParameters('window'),
    SESSION_PARAMETER,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'hundred-a-day', name: 'As 100 windows of the session before', params: {} },
    {
      id: 'firm',
      name: 'Not one tick beyond, for 30 s',
      params: { slip: 0, holdMs: 30_000 },
    },
    {
      id: 'five-hundred-lots',
      name: '500 lots within 10 s',
      params: { minSize: 500 },
    },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580263118204511',
    data: {
      side: -1,
      price: 27_001,
      volume: 640,
      trades: 188,
      maxSlip: 1,
      threshold: 550,
      end: '1794580274902118377',
    },
  },
  sessionKind,
  lookBackSessionsMax: thresholdLookBackMax,
  create: (params) =>
    new AbsorptionStudy({
      windowMs: params.windowMs as number,
      holdMs: params.holdMs as number,
      slip: params.slip as number,
      threshold: thresholdOf(params),
    }),
};
