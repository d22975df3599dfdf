/**
 * The batches of a sealed day, decoded by other threads before they are asked for. Who would have to wait for one decodes
 * a later one meanwhile. So a read uses two processors where they are free; and where they are not, it does itself what
 * others have no time for.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { PackedBatch } from './batch-decoder.ts';

/** In other threads at once, beside the one that is asked for: with more, on two processors, who asks has none. */
const ASIDE_MAX = 2;
/** Decoded before they are asked for, or on their way; each is half a mebibyte. */
const AHEAD_MAX = 6;

interface Decoding {
  readonly trades: Promise<TradeBatch>;
  isOver: boolean;
}

export class BatchesAhead {
  readonly #load: (index: number) => Promise<PackedBatch>;
  readonly #day: UtcDay;
  readonly #end: number;
  /** The first that is not begun. */
  #next: number;
  readonly #begun: Decoding[] = [];

  /** Those in [first, end); they are loaded one after the other. */
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

  /** The trades of the next batch, while there is one. */
  async next(): Promise<TradeBatch> {
    if (this.#begun.length === 0) {
      // Whoever begins to read may have something else to do first.
      await this.#sendAside();
      return await this.#begun.shift()!.trades;
    }
    // What came meanwhile is only told now.
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

  /** Resolves when it is loaded and its work has begun, or that has failed: which is told to who asks for it. */
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
