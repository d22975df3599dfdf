/**
 * The prices at which one side is held, and how far trades went beyond each. A trade more than `slip` ticks beyond a
 * price breaks its hold. Beyond means above for buyers, below for sellers. Prices are in a stack, the one passed first
 * on top. None is more than `slip` ticks before the last trade, where a hold starts. So an insertion passes at most
 * `slip` prices, and a trade visits those it breaks, once, and at most `slip` others.
 */

import { longer } from './growing-columns.ts';

const SLOTS_MIN = 64;
/** Holds have numbers above this. */
const FREE = 0;

export class HeldPrices {
  readonly #side: number;
  readonly #slip: number;
  /** By slot: the hold, the most ticks beyond, whether it is on the stack, and the price. */
  #hold = new Int32Array(SLOTS_MIN);
  #slipped = new Int32Array(SLOTS_MIN);
  #stacked = new Uint8Array(SLOTS_MIN);
  /** Price times side: grows in the direction of the side. */
  #reach = new Float64Array(SLOTS_MIN);
  #stack = new Int32Array(SLOTS_MIN);
  #count = 0;
  /** The reach on top. */
  #nearest = Number.POSITIVE_INFINITY;

  constructor(side: number, slip: number) {
    this.#side = side;
    this.#slip = slip;
  }

  /** Slots from `slotCount` on were not used. */
  clear(slotCount: number): void {
    const count = Math.min(slotCount, this.#hold.length);
    this.#hold.fill(FREE, 0, count);
    this.#stacked.fill(0, 0, count);
    this.#count = 0;
    this.#nearest = Number.POSITIVE_INFINITY;
  }

  /** A trade of any side at this price. */
  pass(price: number): void {
    if (price * this.#side > this.#nearest) this.#passTo(price * this.#side);
  }

  /** The number of the hold at this slot's price; 0 if there is none. */
  holdAt(slot: number): number {
    return slot < this.#hold.length ? this.#hold[slot]! : FREE;
  }

  slippedAt(slot: number): number {
    return this.#slipped[slot]!;
  }

  /** A hold of this number, above 0, starts at the price of the last trade. */
  start(slot: number, price: number, hold: number): void {
    if (slot >= this.#hold.length) this.#grow(slot + 1);
    this.#hold[slot] = hold;
    this.#slipped[slot] = 0;
    if (this.#stacked[slot] === 1) return;
    const reach = price * this.#side;
    let at = this.#count;
    while (at > 0 && this.#reach[this.#stack[at - 1]!]! < reach) {
      this.#stack[at] = this.#stack[at - 1]!;
      at -= 1;
    }
    this.#stack[at] = slot;
    this.#count += 1;
    this.#stacked[slot] = 1;
    this.#reach[slot] = reach;
    if (reach < this.#nearest) this.#nearest = reach;
  }

  /** The hold ends unbroken. Its price leaves the stack when it reaches the top. */
  end(slot: number): void {
    this.#hold[slot] = FREE;
  }

  #passTo(reach: number): void {
    while (this.#count > 0) {
      const slot = this.#stack[this.#count - 1]!;
      if (this.#hold[slot] !== FREE && reach - this.#reach[slot]! <= this.#slip) break;
      this.#hold[slot] = FREE;
      this.#stacked[slot] = 0;
      this.#count -= 1;
    }
    this.#nearest =
      this.#count === 0 ? Number.POSITIVE_INFINITY : this.#reach[this.#stack[this.#count - 1]!]!;
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      const slot = this.#stack[at]!;
      const ticks = reach - this.#reach[slot]!;
      if (ticks <= 0) return;
      if (ticks > this.#slipped[slot]!) this.#slipped[slot] = ticks;
    }
  }

  #grow(slotCount: number): void {
    const count = Math.max(slotCount, this.#hold.length * 2);
    this.#hold = longer(this.#hold, new Int32Array(count));
    this.#slipped = longer(this.#slipped, new Int32Array(count));
    this.#stacked = longer(this.#stacked, new Uint8Array(count));
    this.#reach = longer(this.#reach, new Float64Array(count));
    this.#stack = longer(this.#stack, new Int32Array(count));
  }
}
