/** The memory that all lines of a dataset share for trades that wait. What exceeds it is dropped and fetched again. */

import { MIB } from '@tapeloom/core/units';

const WAITING_BYTES_MAX = 64 * MIB;
/** One trade as an object with its place in an array. */
const TRADE_BYTES = 96;

export class LineBudget {
  readonly #tradesMax: number;
  #trades = 0;

  constructor(bytesMax: number = WAITING_BYTES_MAX) {
    this.#tradesMax = Math.floor(bytesMax / TRADE_BYTES);
  }

  get bytes(): number {
    return this.#trades * TRADE_BYTES;
  }

  /** Whether one more live trade may wait. */
  get hasRoom(): boolean {
    return this.#trades < this.#tradesMax;
  }

  /** Whether pages may be requested: a quarter is theirs alone. */
  get hasRoomForPages(): boolean {
    return this.#trades < this.#tradesMax * 1.25;
  }

  add(trades: number): void {
    this.#trades += trades;
  }

  free(trades: number): void {
    this.#trades -= trades;
  }
}
