/** `volume-profile`: the volume at each price of a whole session, or of consecutive periods of it. */

import type { TradeBatch } from '../trade-batch.ts';
import { DAY_SECONDS } from '../units.ts';
import { DEPTH_PARAMETER, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { BarStudy } from './bar-study.ts';
import type { BarContent, BarShape } from './current-bar.ts';
import { TimeCutter } from './cutters/time-cutter.ts';
import { closedObject, type Indicator, type Params } from './indicator.ts';
import { PriceHistogram, type PriceRows } from './price-histogram.ts';
import { price } from './price-schema.ts';
import {
  keyPrices,
  LEVELS_PROPERTY,
  LEVELS_RULES,
  levels,
  PROFILE_PARAMETERS,
  PROFILE_RULES,
  type ProfileRule,
  profileRule,
} from './profile.ts';

const WHOLE_SESSION = 'session';

const integer = (description: string) => ({ type: 'integer', description });

const DATA_PROPERTIES = {
  levels: LEVELS_PROPERTY,
  poc: price('Price of the row with the most volume'),
  vah: price('Price of the highest row of the value area'),
  val: price('Price of the lowest row of the value area'),
  volume: { type: 'integer', minimum: 1, description: 'All lots' },
  delta: integer('Lots bought by aggressors minus lots sold by aggressors'),
  high: price('Highest price, in ticks'),
  low: price('Lowest price, in ticks'),
  end: {
    type: 'string',
    pattern: '^[0-9]+$',
    description:
      'Time at which the period ended, in nanoseconds; while it lasts, the time of its last trade',
  },
};

export const volumeProfile: Indicator = {
  id: 'volume-profile',
  version: 1,
  name: 'Volume profile',
  description:
    'The volume traded at each price of a period. With period "session" the period is the whole ' +
    'session. With a number, period n = 0, 1, 2 … covers [open + n × period seconds, open + (n + 1) × ' +
    'period seconds) of the session and ends at its close at the latest. A period without a trade has ' +
    `no object. ${LEVELS_RULES} ${PROFILE_RULES} volume: the lots of all sides. delta: ask − bid. ` +
    'high and low: the highest and the lowest price that traded, whatever group is. id: <UTC ' +
    'day>.<rank> of the first trade of the period. ts: the open of the period. end: the nominal end ' +
    'of the period or the close of the session, whichever is earlier; while the period lasts, the ' +
    'time of its last trade. updates: each trade causes one update. The clock causes one more at the ' +
    'end of the period, which is final.',
  parameters: [
    {
      name: 'period',
      type: 'integer',
      default: WHOLE_SESSION,
      values: [WHOLE_SESSION],
      minimum: 1,
      maximum: DAY_SECONDS,
      unit: 'seconds',
      description:
        'The span of one profile: the whole session, or consecutive periods of this many seconds from the ' +
        "session's open on.",
    },
    SESSION_PARAMETER,
    ...PROFILE_PARAMETERS,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'session', name: 'The trading day', params: {} },
    { id: 'regular-hours', name: 'Regular hours', params: { session: 'rth' } },
    { id: 'half-hours', name: '30 minutes', params: { period: 1_800 } },
    { id: 'wide-rows', name: 'The trading day, 4 ticks a row', params: { group: 4 } },
  ],
  example: {
    id: '20261112.1',
    final: true,
    ts: '1794524400000000000',
    data: {
      levels: [
        [27_001, 120, 100],
        [27_002, 140, 400, 20],
        [27_003, 60, 130],
      ],
      poc: 27_002,
      vah: 27_003,
      val: 27_002,
      volume: 970,
      delta: 310,
      high: 27_003,
      low: 27_001,
      end: '1794607200000000000',
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) =>
    new BarStudy(new ProfileContent(params), (bar) => new TimeCutter(bar, periodSeconds(params))),
};

/** A period without an end of its own ends at the close of its session. */
function periodSeconds({ period }: Params): number {
  return period === WHOLE_SESSION ? Number.POSITIVE_INFINITY : (period as number);
}

class ProfileContent implements BarContent {
  readonly #histogram: PriceHistogram;
  readonly #rule: ProfileRule;

  constructor(params: Params) {
    this.#histogram = new PriceHistogram(params.group as number);
    this.#rule = profileRule(params);
  }

  clear(): void {
    this.#histogram.clear();
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    this.#histogram.addRows(batch, from, to);
  }

  addPart(price: number, size: number, side: number): void {
    this.#histogram.add(price, size, side);
  }

  data({ end }: BarShape) {
    const rows = this.#histogram.rows();
    const { high, low } = rows;
    return {
      levels: levels(rows),
      ...keyPrices(rows, this.#rule),
      ...sums(rows),
      high,
      low,
      end,
    };
  }
}

function sums(rows: PriceRows): { volume: number; delta: number } {
  let volume = 0;
  let delta = 0;
  for (let row = 0; row < rows.count; row += 1) {
    volume += rows.total[row]!;
    delta += rows.ask[row]! - rows.bid[row]!;
  }
  return { volume, delta };
}
