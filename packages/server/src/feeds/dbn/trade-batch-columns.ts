/** The columns that a DBN decoder fills and reuses: prices in 1e-9, whole sizes. */

import type { FeedTrades } from '../feed-trades.ts';

/** Small enough to stay in the processor's cache until a batch is read. */
export const BATCH_ROWS = 2_048;

/** Three columns of 8 bytes, two of 4 and one of 1, in one buffer. */
const BATCH_BYTES = BATCH_ROWS * (3 * 8 + 2 * 4 + 1);

export class TradeBatchColumns implements FeedTrades {
  #count = 0;
  readonly priceDecimals = 9;
  readonly sizeDecimals = 0;
  readonly #memory = new ArrayBuffer(BATCH_BYTES);
  readonly ns = new Float64Array(this.#memory, 0, BATCH_ROWS);
  readonly prices = new Float64Array(this.#memory, BATCH_ROWS * 8, BATCH_ROWS);
  readonly sizes = new Float64Array(this.#memory, BATCH_ROWS * 16, BATCH_ROWS);
  readonly instruments = new Uint32Array(this.#memory, BATCH_ROWS * 24, BATCH_ROWS);
  readonly days = new Uint32Array(this.#memory, BATCH_ROWS * 28, BATCH_ROWS);
  readonly sides = new Int8Array(this.#memory, BATCH_ROWS * 32, BATCH_ROWS);
  /** Trades from consecutive records form a run: its first row, and the number of records before it. */
  readonly #runStarts = new Uint32Array(BATCH_ROWS);
  readonly #recordsBefore = new Float64Array(BATCH_ROWS);
  #runs = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds trades of one day written after the last row; `recordsBefore` counts the file's records before them. */
  add(count: number, day: number, recordsBefore: number): void {
    if (count === 0) return;
    const from = this.#count;
    this.days.fill(day, from, from + count);
    this.#runStarts[this.#runs] = from;
    this.#recordsBefore[this.#runs] = recordsBefore;
    this.#runs += 1;
    this.#count = from + count;
  }

  rowOf(index: number): number {
    let run = this.#runs - 1;
    while (this.#runStarts[run]! > index) run -= 1;
    return this.#recordsBefore[run]! + index - this.#runStarts[run]! + 1;
  }

  clear(): void {
    this.#count = 0;
    this.#runs = 0;
  }
}
