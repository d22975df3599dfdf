/**
 * The letters of a market profile by row of prices. A TPO is one bracket at one row, counted once however often the row
 * trades in it. Looking up a trade allocates nothing. Memory grows with rows and TPOs, never with trades or the
 * distance between prices.
 */

import type { CountedRows } from './price-histogram.ts';
import { PriceSlots } from './price-slots.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROWS_MIN = 64;
const NO_BRACKET = -1;

export interface LetteredRows extends CountedRows {
  /** The letters of each row's brackets in the order of time. */
  readonly letters: readonly string[];
}

export class TpoRows {
  readonly #group: number;
  /** By number of the row: price divided by `group`, rounded down. */
  readonly #slots = new PriceSlots();
  /** By slot: the bracket in which the row traded last. */
  #lastBracket = new Int32Array(ROWS_MIN).fill(NO_BRACKET);
  /** All TPOs in order of arrival: slot and bracket. */
  #tpos = new Int32Array(4 * ROWS_MIN);
  #tpoCount = 0;

  constructor(group: number) {
    this.#group = group;
  }

  clear(): void {
    this.#lastBracket.fill(NO_BRACKET, 0, this.#slots.count);
    this.#slots.clear();
    this.#tpoCount = 0;
  }

  /** A trade at this price in this bracket; brackets must not descend. True if it is a new TPO. */
  add(price: number, bracket: number): boolean {
    const slot = this.#slots.slotOf(this.#group === 1 ? price : Math.floor(price / this.#group));
    if (this.#lastBracket[slot] === bracket) return false;
    this.#append(slot, bracket);
    return true;
  }

  /** The current rows, ascending by price. */
  rows(): LetteredRows {
    const count = this.#slots.count;
    const total = new Float64Array(count);
    const touched = new Float64Array(count);
    const letters = new Array<string>(count).fill('');
    const order = this.#slotsByPrice();
    const rowOf = new Int32Array(count);
    for (let row = 0; row < count; row += 1) rowOf[order[row]!] = row;
    for (let tpo = 0; tpo < this.#tpoCount; tpo += 1) {
      const row = rowOf[this.#tpos[2 * tpo]!]!;
      total[row]! += 1;
      touched[row] = tpo;
      letters[row] += LETTERS[this.#tpos[2 * tpo + 1]! % LETTERS.length]!;
    }
    const price = Float64Array.from(order, (slot) => this.#slots.priceOf(slot) * this.#group);
    return { count, price, total, touched, letters };
  }

  #slotsByPrice(): Int32Array {
    const order = Int32Array.from({ length: this.#slots.count }, (_, slot) => slot);
    return order.sort((a, b) => this.#slots.priceOf(a) - this.#slots.priceOf(b));
  }

  #append(slot: number, bracket: number): void {
    if (slot >= this.#lastBracket.length) {
      const grown = new Int32Array(this.#lastBracket.length * 2).fill(NO_BRACKET);
      grown.set(this.#lastBracket);
      this.#lastBracket = grown;
    }
    if (2 * this.#tpoCount === this.#tpos.length) {
      const grown = new Int32Array(this.#tpos.length * 2);
      grown.set(this.#tpos);
      this.#tpos = grown;
    }
    this.#lastBracket[slot] = bracket;
    this.#tpos[2 * this.#tpoCount] = slot;
    this.#tpos[2 * this.#tpoCount + 1] = bracket;
    this.#tpoCount += 1;
  }
}
