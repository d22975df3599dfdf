/** `footprint`: bars with their volume at each price, point of control, value area and imbalances. */

import type { TradeBatch } from '../trade-batch.ts';
import {
  BAR_PARAMETERS,
  BAR_RULES,
  DEPTH_PARAMETER,
  SESSION_PARAMETER,
  sessionKind,
} from './bar-parameters.ts';
import { BarStudy } from './bar-study.ts';
import { BAR_DATA_PROPERTIES, BarSums } from './bar-sums.ts';
import type { BarContent, BarShape } from './current-bar.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import {
  IMBALANCE_PARAMETERS,
  IMBALANCE_RULES,
  type ImbalanceRule,
  imbalanceRule,
  imbalances,
} from './imbalance.ts';
import { closedObject, type Indicator, type Params } from './indicator.ts';
import { PriceHistogram } from './price-histogram.ts';
import { price, ROW_PRICE_MEMBER } from './price-schema.ts';
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

const ROW_PRICE = { ...price('Price of a row; null when empty'), type: ['integer', 'null'] };

const DATA_PROPERTIES = {
  ...BAR_DATA_PROPERTIES,
  levels: LEVELS_PROPERTY,
  poc: ROW_PRICE,
  vah: ROW_PRICE,
  val: ROW_PRICE,
  imbalances: {
    type: 'array',
    description: '[price, side], ascending by price, side -1 (sell) before 1 (buy)',
    items: {
      type: 'array',
      prefixItems: [ROW_PRICE_MEMBER, { title: 'side', type: 'integer' }],
      items: false,
      minItems: 2,
      maxItems: 2,
    },
  },
};

export const footprint: Indicator = {
  id: 'footprint',
  version: 1,
  name: 'Footprint',
  description:
    `Bars with the volume traded at each price. ${LEVELS_RULES} ${PROFILE_RULES} imbalances: [price, ` +
    `1] for a buy imbalance, [price, -1] for a sell imbalance. ${IMBALANCE_RULES} An empty renko ` +
    'brick has no levels; its poc, vah and val are null. The other fields are those of "bars". ' +
    BAR_RULES,
  parameters: [
    ...BAR_PARAMETERS,
    SESSION_PARAMETER,
    ...PROFILE_PARAMETERS,
    ...IMBALANCE_PARAMETERS,
    DEPTH_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: '1 minute, 300 %', params: { bar: 'time', size: 60 } },
    { id: 'five-minutes', name: '5 minutes, 2 ticks a row', params: { size: 300, group: 2 } },
    { id: 'two-thousand-lots', name: '2,000 lots', params: { bar: 'volume', size: 2_000 } },
    {
      id: 'strict',
      name: '1 minute, 400 % of at least 50 lots, zeros counted',
      params: { ratio: 4, minVolume: 50, zero: 'count' },
    },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580260000000000',
    data: {
      open: 27_001,
      high: 27_003,
      low: 27_001,
      close: 27_002,
      volume: 97,
      bid: 32,
      ask: 63,
      unknown: 2,
      trades: 41,
      delta: 31,
      deltaMin: -9,
      deltaMax: 38,
      end: '1794580320000000000',
      levels: [
        [27_001, 12, 10],
        [27_002, 14, 40, 2],
        [27_003, 6, 13],
      ],
      poc: 27_002,
      vah: 27_003,
      val: 27_002,
      imbalances: [[27_002, 1]],
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) => new BarStudy(new FootprintContent(params), (bar) => barCutter(params, bar)),
};

class FootprintContent implements BarContent {
  readonly #sums = new BarSums();
  readonly #histogram: PriceHistogram;
  readonly #profile: ProfileRule;
  readonly #rule: ImbalanceRule;

  constructor(params: Params) {
    this.#histogram = new PriceHistogram(params.group as number);
    this.#profile = profileRule(params);
    this.#rule = imbalanceRule(params);
  }

  clear(): void {
    this.#sums.clear();
    this.#histogram.clear();
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    this.#sums.addRows(batch, from, to);
    this.#histogram.addRows(batch, from, to, this.#sums.span);
  }

  addPart(price: number, size: number, side: number): void {
    this.#sums.addPart(price, size, side);
    this.#histogram.add(price, size, side);
  }

  data(shape: BarShape) {
    const rows = this.#histogram.rows();
    return {
      ...this.#sums.data(shape),
      levels: levels(rows),
      ...keyPrices(rows, this.#profile),
      imbalances: imbalances(rows, this.#rule),
    };
  }
}
