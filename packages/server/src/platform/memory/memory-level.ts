/**
 * Whether the process uses more memory than at its calm level, the minimum of the last half hour. So a service that has
 * really grown is above it for that long at most.
 */

/** The number of looks in a group, of which the minimum is stored, and of stored minima. */
const LOOKS_EACH = 12;
const LOWEST_KEPT = 30;
const ABOVE_FACTOR = 1.25;

export class MemoryLevel {
  /** The minimum of each group of `LOOKS_EACH` looks, oldest first; the last group is still open. */
  readonly #lowest: number[] = [];
  #looks = 0;

  /** Adds a look; returns whether the memory is above the calm level. */
  look(bytes: number): boolean {
    if (this.#looks % LOOKS_EACH === 0) this.#lowest.push(bytes);
    if (this.#lowest.length > LOWEST_KEPT) this.#lowest.shift();
    this.#looks += 1;
    this.#lowest.push(Math.min(this.#lowest.pop()!, bytes));
    return bytes > Math.min(...this.#lowest) * ABOVE_FACTOR;
  }
}
