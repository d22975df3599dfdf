/**
 * Numbers the prices 0, 1, 2 … in the order of first occurrence, so that data by price can be in plain columns. Like
 * the price histogram, the table finds a price at its low bits, or scattered if two collide. Memory and the cost of
 * clearing depend on the number of prices, never on their distance. Only growth of the table allocates.
 */

const CELLS_MIN = 64;
/** 2^32 divided by the golden ratio: neighbouring prices land far apart. */
const SCATTER = 0x9e3779b1;
const UNUSED = -1;

export class PriceSlots {
  #mask = CELLS_MIN - 1;
  /** By cell: the slot of the price found there. */
  #slots = new Int32Array(CELLS_MIN).fill(UNUSED);
  /** By slot; at most half as many as cells. */
  #prices = new Int32Array(CELLS_MIN / 2);
  #cells = new Int32Array(CELLS_MIN / 2);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    for (let slot = 0; slot < this.#count; slot += 1) this.#slots[this.#cells[slot]!] = UNUSED;
    this.#count = 0;
  }

  /** The number of this price; the next one if it is new. */
  slotOf(price: number): number {
    const slot = this.#slots[price & this.#mask]!;
    if (slot !== UNUSED && this.#prices[slot] === price) return slot;
    return this.#search(price);
  }

  priceOf(slot: number): number {
    return this.#prices[slot]!;
  }

  #search(price: number): number {
    let cell = price & this.#mask;
    let slot = this.#slots[cell]!;
    if (slot !== UNUSED && this.#prices[slot] !== price) {
      cell = (Math.imul(price, SCATTER) >>> 7) & this.#mask;
      slot = this.#slots[cell]!;
      while (slot !== UNUSED && this.#prices[slot] !== price) {
        cell = (cell + 1) & this.#mask;
        slot = this.#slots[cell]!;
      }
    }
    if (slot !== UNUSED) return slot;
    if (this.#count === this.#prices.length) {
      this.#grow();
      return this.#search(price);
    }
    const next = this.#count;
    this.#count += 1;
    this.#slots[cell] = next;
    this.#prices[next] = price;
    this.#cells[next] = cell;
    return next;
  }

  #grow(): void {
    const prices = this.#prices;
    const cellCount = (this.#mask + 1) * 2;
    this.#mask = cellCount - 1;
    this.#slots = new Int32Array(cellCount).fill(UNUSED);
    this.#prices = new Int32Array(cellCount / 2);
    this.#cells = new Int32Array(cellCount / 2);
    this.#count = 0;
    for (const price of prices) this.#search(price);
  }
}
