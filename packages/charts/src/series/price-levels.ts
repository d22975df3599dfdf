/**
 * Volume by price in rows of some ticks, ascending, only rows that traded: what the functions of the studies expect.
 * Adding levels that ascend is one pass; a new row between others moves those above it.
 */

import type { PriceRows } from '@tapeloom/core/studies/price-histogram';
import type { Levels } from './chart-bar.ts';

const CAPACITY_MIN = 64;

export class PriceLevels implements PriceRows {
  group: number;
  count = 0;
  price = new Float64Array(CAPACITY_MIN);
  bid = new Float64Array(CAPACITY_MIN);
  ask = new Float64Array(CAPACITY_MIN);
  unknown = new Float64Array(CAPACITY_MIN);
  total = new Float64Array(CAPACITY_MIN);
  /** Not known from sums; no rule that needs it is used with them. */
  touched = new Float64Array(0);
  /** The lowest and the highest price that traded; exact if the levels added have one tick per row. */
  low = Number.NaN;
  high = Number.NaN;

  constructor(group: number) {
    this.group = group;
  }

  /** Empties it for rows of `group` ticks. */
  clear(group = this.group): void {
    this.group = group;
    this.count = 0;
    this.low = Number.NaN;
    this.high = Number.NaN;
  }

  /** All levels of a bar. */
  append({ count, price, bid, ask, unknown }: Levels): void {
    if (count === 0) return;
    this.#span(price[0]!, price[count - 1]!);
    let row = this.#rowAt(this.#rowPrice(price[0]!));
    for (let at = 0; at < count; at += 1) {
      row = this.#rowFrom(row, this.#rowPrice(price[at]!));
      this.#add(row, bid[at]!, ask[at]!, unknown[at]!);
    }
  }

  add(price: number, bid: number, ask: number, unknown: number): void {
    this.#span(price, price);
    const rowPrice = this.#rowPrice(price);
    this.#add(this.#rowFrom(this.#rowAt(rowPrice), rowPrice), bid, ask, unknown);
  }

  /** The index of the row that begins at this price; -1 if it did not trade. */
  find(rowPrice: number): number {
    const row = this.#rowAt(rowPrice);
    return row < this.count && this.price[row] === rowPrice ? row : -1;
  }

  #span(low: number, high: number): void {
    if (!(low >= this.low)) this.low = low;
    if (!(high <= this.high)) this.high = high;
  }

  #rowPrice(price: number): number {
    return this.group === 1 ? price : Math.floor(price / this.group) * this.group;
  }

  #add(row: number, bid: number, ask: number, unknown: number): void {
    this.bid[row]! += bid;
    this.ask[row]! += ask;
    this.unknown[row]! += unknown;
    this.total[row]! += bid + ask + unknown;
  }

  /** The first row at or above the price. */
  #rowAt(rowPrice: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.price[middle]! < rowPrice) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The row of this price, which is not below row `from`; made if it is new. */
  #rowFrom(from: number, rowPrice: number): number {
    let row = from;
    while (row < this.count && this.price[row]! < rowPrice) row += 1;
    if (row === this.count || this.price[row] !== rowPrice) this.#insert(row, rowPrice);
    return row;
  }

  #insert(row: number, rowPrice: number): void {
    const { count } = this;
    if (count === this.price.length) this.#grow();
    if (row < count) {
      this.price.copyWithin(row + 1, row, count);
      this.bid.copyWithin(row + 1, row, count);
      this.ask.copyWithin(row + 1, row, count);
      this.unknown.copyWithin(row + 1, row, count);
      this.total.copyWithin(row + 1, row, count);
    }
    this.price[row] = rowPrice;
    this.bid[row] = 0;
    this.ask[row] = 0;
    this.unknown[row] = 0;
    this.total[row] = 0;
    this.count = count + 1;
  }

  #grow(): void {
    const longer = (column: Float64Array) => {
      const copy = new Float64Array(column.length * 2);
      copy.set(column);
      return copy;
    };
    this.price = longer(this.price);
    this.bid = longer(this.bid);
    this.ask = longer(this.ask);
    this.unknown = longer(this.unknown);
    this.total = longer(this.total);
  }
}
