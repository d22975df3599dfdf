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
  trades: { type: 'integer', minimum: 1, description: 'Its prints' },
  maxSlip: {
    type: 'integer',
    minimum: 0,
    ...TICKS_UNIT,
    description: 'Most ticks a trade went beyond the price during the hold',
  },
  threshold: { type: 'integer', minimum: 1, description: 'Lots that started the hold' },
  end: { type: 'string', pattern: '^[0-9]+$', description: 'End of the hold' },
};

export const absorption: Indicator = {
  id: 'absorption',
  version: 1,
  name: 'Absorption',
  description:
    'Prices where one side traded threshold lots or more in a short time and the price did not go on. ' +
    'The window of a print of a known side is the print itself and the earlier ones of its side at its ' +
    'price less than windowMs before it. A print whose window has threshold lots starts a hold of ' +
    'holdMs at its price and side. A later trade, of any side, more than slip ticks beyond the price ' +
    '(above it for buyers, below it for sellers) breaks the hold, and it comes to nothing, as it does ' +
    'when the session closes before its end. An unbroken hold is an object when it ends, by the clock, ' +
    'holdMs after the print that started it: final at once, by one update; holds that end together in ' +
    'the order they started. Its prints are those of the window and those of its side at its price ' +
    'during the hold (a trade at the very end comes after it); they count in no other window, even if ' +
    'the hold is broken, so a new one needs threshold lots of new prints. volume and trades are those ' +
    'of its prints; maxSlip is how many ticks beyond the price a trade went during the hold, 0 if none ' +
    'did; end is the end of the hold. threshold is minSize; with minSize 0 it is, fixed when the ' +
    'session opens, the perSession-th largest volume of consecutive windows of the newest earlier ' +
    'session that had any and is complete, all of its UTC days being on the tape (at most ' +
    `${LOOK_BACK_SESSIONS_MAX} sessions back, complete or not; the smallest where there were fewer): ` +
    'for each price and known side the first print starts a window with all prints less ' +
    'than windowMs after it, the next print starts the next. Without such a session there are no ' +
    'objects. id: <UTC day>.<rank> of the first of its prints, ts its time.',
  parameters: [
    {
      name: 'windowMs',
      type: 'integer',
      default: 10_000,
      minimum: 1,
      maximum: 600_000,
      unit: 'milliseconds',
      description: 'Time in which the lots must trade at the price.',
    },
    {
      name: 'holdMs',
      type: 'integer',
      default: 5_000,
      minimum: 1,
      maximum: 600_000,
      unit: 'milliseconds',
      description: 'Time for which the price must hold after.',
    },
    {
      name: 'slip',
      type: 'integer',
      default: 1,
      minimum: 0,
      maximum: 100,
      unit: 'ticks',
      description: 'How far beyond the price trades may go while it holds.',
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
