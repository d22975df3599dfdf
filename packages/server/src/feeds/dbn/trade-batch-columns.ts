/** The columns that a DBN decoder fills and hands out again and again: prices in 1e-9, sizes whole. */

import type { FeedTrades } from '../feed-trades.ts';

/** Small enough that a batch is still in the processor's cache when it is read. */
export const BATCH_ROWS = 2_048;

/** Four columns of 8 bytes, two of 4 and one of 1, in one memory. */
const BATCH_BYTES = BATCH_ROWS * (4 * 8 + 2 * 4 + 1);

export class TradeBatchColumns implements FeedTrades {
  count = 0;
  readonly priceDecimals = 9;
  readonly sizeDecimals = 0;
  readonly #memory = new ArrayBuffer(BATCH_BYTES);
  readonly ns = new Float64Array(this.#memory, 0, BATCH_ROWS);
  readonly prices = new Float64Array(this.#memory, BATCH_ROWS * 8, BATCH_ROWS);
  readonly sizes = new Float64Array(this.#memory, BATCH_ROWS * 16, BATCH_ROWS);
  readonly rows = new Float64Array(this.#memory, BATCH_ROWS * 24, BATCH_ROWS);
  readonly instruments = new Uint32Array(this.#memory, BATCH_ROWS * 32, BATCH_ROWS);
  readonly days = new Uint32Array(this.#memory, BATCH_ROWS * 36, BATCH_ROWS);
  readonly sides = new Int8Array(this.#memory, BATCH_ROWS * 40, BATCH_ROWS);

  /** Takes up trades of one day that were written behind the last, and stand behind so many records in the file. */
  add(count: number, day: number, recordsBefore: number): void {
    const { rows } = this;
    const from = this.count;
    const to = from + count;
    this.days.fill(day, from, to);
    for (let row = from, record = recordsBefore; row < to; row += 1) {
      record += 1;
      rows[row] = record;
    }
    this.count = to;
  }
}
