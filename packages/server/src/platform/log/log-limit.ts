/**
 * Limits the log's lines: a burst, and a rate per second. A fault that repeats with every request would otherwise fill
 * the operator's disk and keep the main thread busy logging it. Lines beyond the limit are counted, and the next line
 * that is written reports their number.
 */

const LINES_AT_ONCE = 1_000;
const LINES_PER_SECOND = 50;

export interface LogLimitOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly atOnce?: number;
  readonly perSecond?: number;
}

export class LogLimit {
  readonly #now: () => number;
  readonly #atOnce: number;
  readonly #perMs: number;
  #left: number;
  #seenMs: number;
  #leftOut = 0;
  #leftOutTotal = 0;

  constructor({ now, atOnce = LINES_AT_ONCE, perSecond = LINES_PER_SECOND }: LogLimitOptions) {
    this.#now = now;
    this.#atOnce = atOnce;
    this.#perMs = perSecond / 1_000;
    this.#left = atOnce;
    this.#seenMs = now();
  }

  get leftOutTotal(): number {
    return this.#leftOutTotal;
  }

  take(): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#atOnce, this.#left + (now - this.#seenMs) * this.#perMs);
    this.#seenMs = now;
    if (this.#left >= 1) {
      this.#left -= 1;
      return true;
    }
    this.#leftOut += 1;
    this.#leftOutTotal += 1;
    return false;
  }

  /** How many lines were dropped since the last call. */
  takeLeftOut(): number {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut;
  }
}
