/** `imbalances`: zones of stacked diagonal imbalances, until price trades through them. */

import type { TradeBatch } from '../trade-batch.ts';
import { BAR_PARAMETERS, BAR_RULES, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { CARRIED_MAX, CarriedObjects } from './carried-objects.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { type BarFinder, type Find, FinishedBarStudy } from './finished-bar-study.ts';
import {
  IMBALANCE_PARAMETERS,
  IMBALANCE_RULES,
  type ImbalanceRule,
  imbalanceRule,
  imbalances as imbalancesOf,
} from './imbalance.ts';
import { closedObject, type Indicator, type Params } from './indicator.ts';
import { CARRIED_RULES, LOOK_BACK_PARAMETER } from './look-back-parameter.ts';
import { PriceHistogram } from './price-histogram.ts';
import { price } from './price-schema.ts';
import { GROUP_PARAMETER } from './profile.ts';

const DATA_PROPERTIES = {
  side: { type: 'integer', enum: [-1, 1], description: 'Dominant aggressor: 1 buyer, -1 seller' },
  low: price('Lowest price of the lowest row, in ticks'),
  high: price('Highest price of the highest row, in ticks'),
  rows: { type: 'integer', minimum: 1, description: 'Adjacent rows with an imbalance' },
  volume: { type: 'integer', minimum: 1, description: 'Lots of the dominant side in these rows' },
  barId: { type: 'string', description: 'Id of the bar' },
};

export const imbalances: Indicator = {
  id: 'imbalances',
  version: 2,
  name: 'Stacked imbalances',
  description:
    'A zone is a run of stack or more adjacent rows of one finished bar that all have an imbalance of ' +
    'the same side. Each zone is as long as it can be. A row is group ticks, as in "footprint". ' +
    `${IMBALANCE_RULES} low: the lowest price of the lowest row. high: the highest price of the ` +
    'highest row. volume: the lots that the dominant side traded in these rows. removal: a zone is ' +
    'removed when price trades through it in a later bar. The first trade, or part of a split trade, ' +
    'below its low removes a buy zone, and the first above its high removes a sell zone. The trade ' +
    'that ends a range bar belongs to the later bar. A trade that completes several renko bricks ' +
    `belongs to the last of them. ${CARRIED_RULES} id: the id of the bar followed by .n, for the n-th ` +
    'zone of the bar by ascending low, sell before buy. ts: the ts of the bar. limit: at most ' +
    `${CARRIED_MAX} objects are kept. A birth beyond that first removes the oldest; the ts of this ` +
    'remove is the end of the bar that gives birth. k: in each bar that a trade is part of, it first ' +
    'causes the removals: sell zones before buy zones, the nearest first, at one price the oldest ' +
    'first. Then it causes the births of that bar, if it fills the bar. A trade that ends a bar ' +
    'without being part of it causes the births of that bar first. The bars are those of "bars". ' +
    `${BAR_RULES}`,
  parameters: [
    ...BAR_PARAMETERS,
    SESSION_PARAMETER,
    GROUP_PARAMETER,
    ...IMBALANCE_PARAMETERS,
    {
      name: 'stack',
      type: 'integer',
      default: 3,
      minimum: 1,
      maximum: 100,
      unit: 'rows',
      description: 'The fewest adjacent rows with an imbalance of one side that make a zone.',
    },
    LOOK_BACK_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: '1 minute, 3 rows of 300 %', params: { bar: 'time', size: 60 } },
    {
      id: 'five-minutes',
      name: '5 minutes, 2 ticks a row, 5 sessions',
      params: { size: 300, group: 2, lookback: 5 },
    },
    {
      id: 'strict',
      name: '1 minute, 4 rows of 400 % of at least 50 lots',
      params: { ratio: 4, minVolume: 50, stack: 4 },
    },
  ],
  example: {
    id: '20261113.48211.1',
    final: true,
    ts: '1794580260000000000',
    data: { side: 1, low: 27_001, high: 27_003, rows: 3, volume: 148, barId: '20261113.48211' },
  },
  sessionKind,
  lookBackSessionsMax: (params) => params.lookback as number,
  objectsOutliveSession: true,
  create: (params) =>
    new FinishedBarStudy(
      new StackFinder(params),
      new CarriedObjects(params.lookback as number),
      (bar) => barCutter(params, bar),
    ),
};

/** Adjacent rows of one side, while they are being counted. */
interface Stack {
  readonly side: number;
  readonly low: number;
  /** The row that would continue it. */
  next: number;
  rows: number;
  volume: number;
}

class StackFinder implements BarFinder {
  readonly #histogram: PriceHistogram;
  readonly #group: number;
  readonly #rule: ImbalanceRule;
  readonly #stackMin: number;

  constructor(params: Params) {
    this.#group = params.group as number;
    this.#histogram = new PriceHistogram(this.#group);
    this.#rule = imbalanceRule(params);
    this.#stackMin = params.stack as number;
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

  finds(barId: string): readonly Find[] {
    return this.#stacks()
      .filter(({ rows }) => rows >= this.#stackMin)
      .map(({ side, low, next, rows, volume }, index) => {
        const high = next - 1;
        return {
          n: index + 1,
          data: { side, low, high, rows, volume, barId },
          trigger: side === 1 ? { side: -1, price: low - 1 } : { side: 1, price: high + 1 },
        };
      });
  }

  /** All stacks of the bar by ascending low, sell before buy. */
  #stacks(): readonly Stack[] {
    const rows = this.#histogram.rows();
    const stacks: Stack[] = [];
    const growing = new Map<number, Stack>();
    let row = 0;
    for (const [price, side] of imbalancesOf(rows, this.#rule)) {
      while (rows.price[row] !== price) row += 1;
      let stack = growing.get(side);
      if (stack?.next !== price) {
        stack = { side, low: price, next: price, rows: 0, volume: 0 };
        growing.set(side, stack);
        stacks.push(stack);
      }
      stack.next += this.#group;
      stack.rows += 1;
      stack.volume += (side === 1 ? rows.ask : rows.bid)[row]!;
    }
    return stacks;
  }
}
