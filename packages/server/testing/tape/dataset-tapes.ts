/** Live tapes of several datasets in memory, each with one contract and its own watermark. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { Commit, LiveTape, TapeDay, TapePlace, Watermarks } from '../../src/tape/tape.ts';
import { MemoryTape } from './memory-tape.ts';

export class DatasetTapes implements LiveTape {
  readonly #tapes: ReadonlyMap<string, MemoryTape>;

  /** `datasets`: by contract. */
  constructor(datasets: Readonly<Record<string, string>>) {
    this.#tapes = new Map(
      Object.entries(datasets).map(([symbol, dataset]) => [
        symbol,
        new MemoryTape(symbol, 64, dataset),
      ]),
    );
  }

  of(symbol: string): MemoryTape {
    return this.#tapes.get(symbol)!;
  }

  promiseOf(symbol: string): EpochNs | null {
    return this.of(symbol).promise;
  }

  timeOf(symbol: string): string {
    return this.of(symbol).dataset;
  }

  get watermarks(): Watermarks {
    return new Map([...this.#tapes.values()].flatMap(({ watermarks }) => [...watermarks]));
  }

  days(symbol: string): Promise<readonly TapeDay[]> {
    return this.of(symbol).days();
  }

  read(symbol: string, ...where: [TapePlace, TapePlace?, boolean?]): AsyncIterable<TradeBatch> {
    return this.of(symbol).read(symbol, ...where);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.of(symbol).rankBefore(symbol, day, ns);
  }

  follow(listener: (commit: Commit) => void): Disposable {
    const following = new DisposableStack();
    for (const tape of this.#tapes.values()) following.use(tape.follow(listener));
    return following;
  }
}
