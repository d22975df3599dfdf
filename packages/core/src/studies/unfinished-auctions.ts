/** `unfinished-auctions`: highs and lows of finished bars where both sides traded. */

import type { TradeBatch } from '../trade-batch.ts';
import { BAR_PARAMETERS, BAR_RULES, SESSION_PARAMETER, sessionKind } from './bar-parameters.ts';
import { CARRIED_MAX, CarriedObjects } from './carried-objects.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { type BarFinder, type Find, FinishedBarStudy } from './finished-bar-study.ts';
import { closedObject, type Indicator } from './indicator.ts';
import { CARRIED_RULES, LOOK_BACK_PARAMETER } from './look-back-parameter.ts';
import { price } from './price-schema.ts';

const lots = (description: string) => ({ type: 'integer', minimum: 1, description });

const DATA_PROPERTIES = {
  kind: {
    type: 'string',
    enum: ['high', 'low'],
    description: 'high: the high of the bar; low: its low',
  },
  price: price('Price, in ticks'),
  bid: lots('Lots sold by aggressors at the price in the bar'),
  ask: lots('Lots bought by aggressors at the price in the bar'),
  barId: { type: 'string', description: 'Id of the bar' },
};

export const unfinishedAuctions: Indicator = {
  id: 'unfinished-auctions',
  version: 2,
  name: 'Unfinished auctions',
  description:
    'Prices at which a bar ended while both sides were still trading. When a bar is finished, the ' +
    'highest price that traded in it is an object of kind high if both sides traded enough there: bid ' +
    'and ask are each at least minVolume. bid is the volume of selling aggressors at that price in ' +
    'that bar, ask the volume of buying aggressors. The lowest price that traded in the bar is an ' +
    'object of kind low by the same rule. Unknown volume counts for neither side. removal: an object ' +
    'is removed when its price is traded in a later bar. The first trade, or part of a split trade, ' +
    'at or above its price removes a high, and the first at or below its price removes a low. The ' +
    'trade that ends a range bar belongs to the later bar. A trade that completes several renko ' +
    `bricks belongs to the last of them. ${CARRIED_RULES} id: the id of the bar followed by .1 for ` +
    `its high, .2 for its low. ts: the ts of the bar. limit: at most ${CARRIED_MAX} objects are kept. ` +
    'A birth beyond that first removes the oldest; the ts of this remove is the end of the bar that ' +
    'gives birth. k: in each bar that a trade is part of, it first causes the removals: highs before ' +
    'lows, the nearest price first, at one price the oldest first. Then it causes the births of that ' +
    'bar, high before low, if it fills the bar. A trade that ends a bar without being part of it ' +
    `causes the births of that bar first. The bars are those of "bars". ${BAR_RULES}`,
  parameters: [
    ...BAR_PARAMETERS,
    SESSION_PARAMETER,
    {
      name: 'minVolume',
      type: 'integer',
      default: 1,
      minimum: 1,
      maximum: 1_000_000_000,
      unit: 'lots',
      description: 'Lots that each of the two sides must have traded at least.',
    },
    LOOK_BACK_PARAMETER,
  ],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: '1 minute', params: { bar: 'time', size: 60 } },
    { id: 'half-hour', name: '30 minutes, 5 sessions', params: { size: 1_800, lookback: 5 } },
    {
      id: 'regular-hours',
      name: '5 minutes, regular hours',
      params: { size: 300, session: 'rth' },
    },
    { id: 'ten-lots', name: '5 minutes, 10 lots a side', params: { size: 300, minVolume: 10 } },
  ],
  example: {
    id: '20261113.48211.1',
    final: true,
    ts: '1794580260000000000',
    data: { kind: 'high', price: 27_006, bid: 14, ask: 9, barId: '20261113.48211' },
  },
  sessionKind,
  lookBackSessionsMax: (params) => params.lookback as number,
  objectsOutliveSession: true,
  create: (params) =>
    new FinishedBarStudy(
      new BarEnds(params.minVolume as number),
      new CarriedObjects(params.lookback as number),
      (bar) => barCutter(params, bar),
    ),
};

/** The highest and the lowest price of a bar with their volumes by side. */
class BarEnds implements BarFinder {
  readonly #minVolume: number;
  #high = Number.NEGATIVE_INFINITY;
  #low = Number.POSITIVE_INFINITY;
  /** By side: bid, unknown, ask. */
  readonly #highLots = new Float64Array(3);
  readonly #lowLots = new Float64Array(3);

  constructor(minVolume: number) {
    this.#minVolume = minVolume;
  }

  clear(): void {
    this.#high = Number.NEGATIVE_INFINITY;
    this.#low = Number.POSITIVE_INFINITY;
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    const { price, size, side } = batch;
    let high = this.#high;
    let low = this.#low;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      if (ticks < high && ticks > low) continue;
      this.addPart(ticks, size[row]!, side[row]!);
      high = this.#high;
      low = this.#low;
    }
  }

  addPart(price: number, size: number, side: number): void {
    if (price > this.#high) this.#highLots.fill(0);
    if (price < this.#low) this.#lowLots.fill(0);
    this.#high = Math.max(this.#high, price);
    this.#low = Math.min(this.#low, price);
    if (price === this.#high) this.#highLots[side + 1]! += size;
    if (price === this.#low) this.#lowLots[side + 1]! += size;
  }

  finds(barId: string): readonly Find[] {
    const ends = [
      { n: 1, kind: 'high', side: 1, price: this.#high, lots: this.#highLots },
      { n: 2, kind: 'low', side: -1, price: this.#low, lots: this.#lowLots },
    ] as const;
    return ends.flatMap(({ n, kind, side, price, lots }) => {
      const [bid, , ask] = lots as unknown as [number, number, number];
      // A brick without trades has no price.
      if (Math.min(bid, ask) < this.#minVolume || !Number.isFinite(price)) return [];
      return [{ n, data: { kind, price, bid, ask, barId }, trigger: { side, price } }];
    });
  }
}
