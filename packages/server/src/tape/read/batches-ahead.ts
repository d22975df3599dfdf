/**
 * Decodes the batches of a sealed day in other threads ahead of the reader. A reader that would wait for one batch
 * decodes a later one meanwhile. So a read uses two processors where they are free, and otherwise does the work itself.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { PackedBatch } from './batch-decoder.ts';

/** Decoded in other threads at once, beside the requested one: with more, two processors leave none for the reader. */
const ASIDE_MAX = 2;
/** Batches decoded ahead, or in progress; each is half a mebibyte. */
const AHEAD_MAX = 6;

interface Decoding {
  readonly trades: Promise<TradeBatch>;
  isOver: boolean;
}

export class BatchesAhead {
  readonly #load: (index: number) => Promise<PackedBatch>;
  readonly #day: UtcDay;
  readonly #end: number;
  /** The first batch whose decoding has not begun. */
  #next: number;
  readonly #begun: Decoding[] = [];

  /** The batches in [first, end), loaded one after the other. */
  constructor(
    load: (index: number) => Promise<PackedBatch>,
    day: UtcDay,
    first: number,
    end: number,
  ) {
    this.#load = load;
    this.#day = day;
    this.#next = first;
    this.#end = end;
  }

  async next(): Promise<TradeBatch> {
    if (this.#begun.length === 0) {
      // A reader that just began may have other work first.
      await this.#sendAside();
      return await this.#begun.shift()!.trades;
    }
    // Lets decodings that finished meanwhile be noticed.
    await turn();
    const wanted = this.#begun.shift()!;
    await this.#sendAside();
    while (!wanted.isOver && this.#mayBegin) {
      await this.#begin((packed) => packed.trades(this.#day));
      await turn();
    }
    return await wanted.trades;
  }

  get #mayBegin(): boolean {
    return this.#next < this.#end && this.#begun.length < AHEAD_MAX;
  }

  async #sendAside(): Promise<void> {
    while (this.#mayBegin && this.#begun.filter(({ isOver }) => !isOver).length < ASIDE_MAX) {
      await this.#begin((packed) => packed.tradesAside(this.#day));
    }
  }

  /** Resolves when the batch is loaded and decoding. A failure is reported to the reader of that batch. */
  async #begin(decode: (packed: PackedBatch) => TradeBatch | Promise<TradeBatch>): Promise<void> {
    const loaded = this.#load(this.#next++);
    const decoding = { trades: loaded.then(decode), isOver: false };
    const over = () => {
      decoding.isOver = true;
    };
    decoding.trades.then(over, over);
    this.#begun.push(decoding);
    await loaded.catch(() => {});
  }
}
