/**
 * Whether the process takes more memory than it does when it is calm. The calm level is the lowest of the last half hour, so a service
 * that has really grown is above it for that long at most.
 */

/** Looks of which the lowest is kept, and how many of those are. */
const LOOKS_EACH = 12;
const LOWEST_KEPT = 30;
const ABOVE_FACTOR = 1.25;

export class MemoryLevel {
  /** The lowest of every `LOOKS_EACH` looks, oldest first; the last one is still looked for. */
  readonly #lowest: number[] = [];
  #looks = 0;

  /** One look at the memory; whether that is above the calm level. */
  look(bytes: number): boolean {
    if (this.#looks % LOOKS_EACH === 0) this.#lowest.push(bytes);
    if (this.#lowest.length > LOWEST_KEPT) this.#lowest.shift();
    this.#looks += 1;
    this.#lowest.push(Math.min(this.#lowest.pop()!, bytes));
    return bytes > Math.min(...this.#lowest) * ABOVE_FACTOR;
  }
}
