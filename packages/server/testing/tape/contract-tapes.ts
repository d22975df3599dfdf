/** A live tape of several contracts in memory, with one watermark (`promise`) for all and one call per commit. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { Commit, LiveTape, TapeDay, TapePlace } from '../../src/tape/tape.ts';
import { MemoryTape, type MemoryTrade } from './memory-tape.ts';
import { OneDataset, TEST_DATASET } from './one-dataset.ts';

export interface ContractTrade extends MemoryTrade {
  readonly symbol: string;
}

export class ContractTapes extends OneDataset implements LiveTape {
  readonly #tapes: ReadonlyMap<string, MemoryTape>;
  readonly #listeners = new Set<(commit: Commit) => void>();

  constructor(symbols: readonly string[], batchRows: number) {
    super();
    this.#tapes = new Map(symbols.map((symbol) => [symbol, new MemoryTape(symbol, batchRows)]));
  }

  commit(trades: readonly ContractTrade[], promise: EpochNs): void {
    for (const [symbol, tape] of this.#tapes) {
      const own = trades.filter((trade) => trade.symbol === symbol);
      tape.commit(own, promise);
    }
    this.promise = promise;
    const symbols = [...new Set(trades.map(({ symbol }) => symbol))];
    for (const listener of this.#listeners) listener({ dataset: TEST_DATASET, promise, symbols });
  }

  days(symbol: string): Promise<readonly TapeDay[]> {
    return this.#of(symbol).days();
  }

  read(symbol: string, ...where: [TapePlace, TapePlace?, boolean?]): AsyncIterable<TradeBatch> {
    return this.#of(symbol).read(symbol, ...where);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.#of(symbol).rankBefore(symbol, day, ns);
  }

  follow(listener: (commit: Commit) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #of(symbol: string): MemoryTape {
    const tape = this.#tapes.get(symbol);
    if (tape === undefined) throw new RangeError(`no contract is called ${symbol}`);
    return tape;
  }
}
