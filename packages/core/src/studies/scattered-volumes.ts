/**
 * Volume by price and side for prices that lie far apart. Memory and time depend on the number of prices, never on
 * their distance.
 */

import { longer } from './growing-columns.ts';
import { PriceSlots } from './price-slots.ts';

const SLOTS_MIN = 16;
const SIDES = 3;

export class ScatteredVolumes {
  readonly #slots = new PriceSlots();
  /** By slot: lots of sellers, of unknown side, of buyers. */
  #lots = new Float64Array(SLOTS_MIN * SIDES);
  #touched = new Float64Array(SLOTS_MIN);

  get count(): number {
    return this.#slots.count;
  }

  clear(): void {
    this.#lots.fill(0, 0, this.#slots.count * SIDES);
    this.#slots.clear();
  }

  add(price: number, size: number, side: number, sequence: number): void {
    const slot = this.#slots.slotOf(price);
    if (slot === this.#touched.length) {
      this.#lots = longer(this.#lots, new Float64Array(this.#lots.length * 2));
      this.#touched = longer(this.#touched, new Float64Array(this.#touched.length * 2));
    }
    this.#lots[slot * SIDES + 1 + side]! += size;
    this.#touched[slot] = sequence;
  }

  /** Visits every price in ascending order. */
  visit(
    show: (price: number, bid: number, ask: number, unknown: number, touched: number) => void,
  ): void {
    const slots = Int32Array.from({ length: this.#slots.count }, (_, slot) => slot);
    slots.sort((a, b) => this.#slots.priceOf(a) - this.#slots.priceOf(b));
    for (const slot of slots) {
      const [bid, unknown, ask] = this.#lots.subarray(slot * SIDES, (slot + 1) * SIDES);
      show(this.#slots.priceOf(slot), bid!, ask!, unknown!, this.#touched[slot]!);
    }
  }
}
