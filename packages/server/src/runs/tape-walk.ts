/**
 * A walk over the trades of one contract, in order and without a gap, that can pause anywhere: the caller looks at the
 * next trades and takes as many of them as it wants. It holds one batch and one open read at a time.
 */

import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { LiveTape, TapePlace } from '../tape/tape.ts';

export class TapeWalk implements AsyncDisposable {
  readonly #tape: Pick<LiveTape, 'promiseOf' | 'read'>;
  readonly #contract: string;
  #place: TapePlace;
  #reading: AsyncIterator<TradeBatch> | null = null;
  /** The watermark (`promise`) when the current read began: that read contains all trades before it. */
  #promise: EpochNs | null = null;
  #batch: TradeBatch | null = null;
  #readTo: EpochNs | null = null;

  constructor(tape: Pick<LiveTape, 'promiseOf' | 'read'>, contract: string, from: TapePlace) {
    this.#tape = tape;
    this.#contract = contract;
    this.#place = from;
  }

  /** All trades before this were taken when `look` last found none; null until then. */
  get readTo(): EpochNs | null {
    return this.#readTo;
  }

  /** The next trades, at least one; null if there are none for now. */
  async look(): Promise<TradeBatch | null> {
    if (this.#batch !== null) return this.#batch;
    if (this.#reading === null) {
      this.#promise = this.#tape.promiseOf(this.#contract);
      this.#reading = this.#tape.read(this.#contract, this.#place)[Symbol.asyncIterator]();
    }
    for (;;) {
      const { done, value } = await this.#reading.next();
      if (done === true) break;
      if (value.count === 0) continue;
      this.#batch = value;
      return value;
    }
    this.#reading = null;
    this.#readTo = this.#promise;
    return null;
  }

  /** Takes the first `count` of the next trades. */
  take(count: number): TradeBatch {
    const batch = this.#batch!;
    const taken = sliceBatch(batch, 0, count);
    this.#batch = count < batch.count ? sliceBatch(batch, count, batch.count) : null;
    this.#place = { day: batch.day, rank: (batch.firstRank + count - 1) as Rank };
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading?.return?.();
    this.#reading = null;
    this.#batch = null;
  }
}
