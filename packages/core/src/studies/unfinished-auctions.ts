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
  kind: { type: 'string', enum: ['high', 'low'], description: 'Which end of the bar' },
  price: price('The price, in ticks'),
  bid: lots('Lots sold by aggressors at the price in the bar'),
  ask: lots('Lots bought by aggressors at the price in the bar'),
  barId: { type: 'string', description: 'Id of the bar' },
};

export const unfinishedAuctions: Indicator = {
  id: 'unfinished-auctions',
  version: 2,
  name: 'Unfinished auctions',
  description:
    'Prices at which a bar ended while both sides were still trading. When a bar is finished, its high ' +
    '(the highest price that traded in it; kind high) is an object if both the volume of selling ' +
    'aggressors (bid) and of buying ones (ask) at that price in that bar are at least minVolume; its ' +
    'low (kind low) likewise; unknown volume counts for neither. It is removed when traded: a high by ' +
    'the first trade, or part of a split trade, of a later bar at its price or above, a low by the ' +
    'first at its price or below; the trade that ends a range bar or completes renko bricks is of ' +
    `the later bar. ${CARRIED_RULES} id: the id of the bar followed by .1 for its high, .2 for its low; ` +
    `ts: that of the bar. At most ${CARRIED_MAX} are kept: one more removes the oldest first. k: a trade ` +
    'first causes the removes in the bar it is part of, highs before lows, the nearest price first, ' +
    'then the births of the bar it fills, high before low; a trade that ends a bar without being part ' +
    `of it causes that bar's births first. The bars are those of "bars". ${BAR_RULES}`,
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
      description: 'Lots each of the two sides must have traded at least.',
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
