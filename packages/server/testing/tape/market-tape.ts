/** Several contracts' tapes in memory as one, with a common watermark (`promise`), as in the real one. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { withoutDays } from '../../src/runs/sound-tape.ts';
import type { Commit, LiveTape, Tape, TapeDay, TapePlace } from '../../src/tape/tape.ts';
import { type LiveGap, MemoryTape, type MemoryTrade } from './memory-tape.ts';
import { OneDataset, TEST_DATASET } from './one-dataset.ts';

const BATCH_ROWS = 4_096;

export class MarketTape extends OneDataset implements LiveTape {
  readonly #tapes = new Map<string, MemoryTape>();
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #hidden = new Map<string, UtcDay[]>();

  /** Commits trades of one contract; its days are those of the trades and of `promise`. */
  commit(
    symbol: string,
    trades: readonly MemoryTrade[],
    promise: EpochNs,
    gaps: readonly LiveGap[] = [],
  ): void {
    const tape = this.#tapes.getOrInsertComputed(symbol, () => new MemoryTape(symbol, BATCH_ROWS));
    tape.commit(trades, promise, gaps);
    if (this.promise === null || promise > this.promise) this.promise = promise;
    const commit = { dataset: TEST_DATASET, promise: this.promise, symbols: [symbol] };
    for (const listener of this.#listeners) listener(commit);
  }

  hide(symbol: string, ...days: readonly UtcDay[]): void {
    this.#hidden.set(
      symbol,
      days.toSorted((a, b) => a - b),
    );
  }

  /** The tape of one contract, for changes. */
  of(symbol: string): MemoryTape {
    return this.#tapes.get(symbol)!;
  }

  async days(symbol: string): Promise<readonly TapeDay[]> {
    return (await this.#tapeOf(symbol)?.days(symbol)) ?? [];
  }

  async *read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch> {
    const tape = this.#tapeOf(symbol);
    if (tape !== undefined) yield* tape.read(symbol, from, to, isLent);
  }

  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return (await this.#tapeOf(symbol)?.rankBefore(symbol, day, ns)) ?? (0 as Rank);
  }

  async filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return await this.of(symbol).filesVersion(symbol, day);
  }

  follow(listener: (commit: Commit) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #tapeOf(symbol: string): Tape | undefined {
    const tape = this.#tapes.get(symbol);
    return tape && withoutDays(tape, this.#hidden.get(symbol) ?? []);
  }
}
