/**
 * The numbers of every bar: prices, volumes by side, and the extremes of its running delta. All are exact: sums of lots
 * stay far below 2^53. A part of a split trade counts as one trade.
 */

import type { TradeBatch } from '../trade-batch.ts';
import type { BarContent, BarShape } from './current-bar.ts';
import type { JsonSchema } from './indicator.ts';
import { price } from './price-schema.ts';
import { type RowsSpan, SMALL_LOTS_MAX, SMALL_ROWS_MAX } from './small-lots.ts';

const integer = (description: string) => ({ type: 'integer', description });
const lots = (description: string) => ({ type: 'integer', minimum: 0, description });

export const BAR_DATA_PROPERTIES = {
  open: price('First price, in ticks; for a renko brick the price at which it opens'),
  high: price('Highest price, in ticks, open and close included'),
  low: price('Lowest price, in ticks, open and close included'),
  close: price('Last price, in ticks; for a complete renko brick its closing edge'),
  volume: lots('All lots: bid + ask + unknown'),
  bid: lots('Lots sold by aggressors'),
  ask: lots('Lots bought by aggressors'),
  unknown: lots('Lots without a known aggressor'),
  trades: lots('Trades; a part of a split trade counts as one'),
  delta: integer('ask - bid'),
  deltaMin: { type: 'integer', maximum: 0, description: 'Lowest running delta, which starts at 0' },
  deltaMax: {
    type: 'integer',
    minimum: 0,
    description: 'Highest running delta, which starts at 0',
  },
  end: {
    type: 'string',
    pattern: '^[0-9]+$',
    description:
      'Time at which the bar ended, in nanoseconds; while the bar forms, the time of its last trade',
  },
} as const satisfies JsonSchema;

export class BarSums implements BarContent {
  #trades = 0;
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #volume = 0;
  /** Volume with a known side. */
  #known = 0;
  #delta = 0;
  #deltaMin = 0;
  #deltaMax = 0;
  readonly #span: RowsSpan = { low: 0, high: 0, lots: 0 };

  /** The span of the rows that `addRows` added last. */
  get span(): Readonly<RowsSpan> {
    return this.#span;
  }

  clear(): void {
    this.#trades = 0;
    this.#volume = 0;
    this.#known = 0;
    this.#delta = 0;
    this.#deltaMin = 0;
    this.#deltaMax = 0;
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    const { price, size, side } = batch;
    this.#span.low = price[from]!;
    this.#span.high = price[from]!;
    this.#span.lots = 0;
    for (let start = from; start < to; start += SMALL_ROWS_MAX) {
      const end = Math.min(start + SMALL_ROWS_MAX, to);
      if (this.#addSmall(batch, start, end)) continue;
      for (let row = start; row < end; row += 1) {
        this.addPart(price[row]!, size[row]!, side[row]!);
      }
    }
  }

  addPart(price: number, size: number, side: number): void {
    this.#count(price, 1);
    this.#high = Math.max(this.#high, price);
    this.#low = Math.min(this.#low, price);
    this.#close = price;
    this.#volume += size;
    this.#known += size * side * side;
    this.#delta += size * side;
    this.#deltaMin = Math.min(this.#deltaMin, this.#delta);
    this.#deltaMax = Math.max(this.#deltaMax, this.#delta);
  }

  data(shape: BarShape) {
    const open = shape.openEdge ?? this.#open;
    const close = shape.closeEdge ?? this.#close;
    const empty = this.#trades === 0;
    return {
      open,
      high: Math.max(open, close, empty ? open : this.#high),
      low: Math.min(open, close, empty ? open : this.#low),
      close,
      volume: this.#volume,
      bid: (this.#known - this.#delta) / 2,
      ask: (this.#known + this.#delta) / 2,
      unknown: this.#volume - this.#known,
      trades: this.#trades,
      delta: this.#delta,
      deltaMin: this.#deltaMin,
      deltaMax: this.#deltaMax,
      end: shape.end,
    };
  }

  /** Adds the rows in integers. If one is too large for that, it adds nothing and returns false. */
  #addSmall({ price, size, side }: TradeBatch, from: number, to: number): boolean {
    let high = price[from]!;
    let low = high;
    let volume = 0;
    let known = 0;
    let delta = 0;
    let deltaMin = 0;
    let deltaMax = 0;
    let seen = 0;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      const lots = size[row]!;
      const sign = side[row]!;
      const signed = Math.imul(lots, sign);
      high = Math.max(high, ticks);
      low = Math.min(low, ticks);
      seen |= lots;
      volume = (volume + lots) | 0;
      known = (known + Math.imul(signed, sign)) | 0;
      delta = (delta + signed) | 0;
      deltaMin = Math.min(deltaMin, delta);
      deltaMax = Math.max(deltaMax, delta);
    }
    this.#span.low = Math.min(this.#span.low, low);
    this.#span.high = Math.max(this.#span.high, high);
    this.#span.lots |= seen;
    if (seen > SMALL_LOTS_MAX) return false;
    this.#count(price[from]!, to - from);
    this.#high = Math.max(this.#high, high);
    this.#low = Math.min(this.#low, low);
    this.#close = price[to - 1]!;
    this.#volume += volume;
    this.#known += known;
    this.#deltaMin = Math.min(this.#deltaMin, this.#delta + deltaMin);
    this.#deltaMax = Math.max(this.#deltaMax, this.#delta + deltaMax);
    this.#delta += delta;
    return true;
  }

  #count(firstPrice: number, trades: number): void {
    if (this.#trades === 0) {
      this.#open = firstPrice;
      this.#high = firstPrice;
      this.#low = firstPrice;
    }
    this.#trades += trades;
  }
}
