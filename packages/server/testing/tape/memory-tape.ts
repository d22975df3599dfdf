/**
 * A live tape in memory, whose commits are durable at once. It serves batches of any size, as the real one does, and
 * each read takes event loop turns. Lent batches are overwritten when they are taken back.
 */

import { createHash } from 'node:crypto';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import {
  allocateBatch,
  firstRowAt,
  type TradeBatch,
  type WritableTradeBatch,
} from '@tapeloom/core/trade-batch';
import { addDays, dayOf, earlier, epochNs, later, nsOfDay } from '@tapeloom/core/utc-day';
import type { Commit, DaySpan, LiveTape, TapeDay, TapePlace } from '../../src/tape/tape.ts';
import { TapeDamagedError } from '../../src/tape/tape-errors.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import { OneDataset } from './one-dataset.ts';

/** A gap that a commit records or, with the same `from`, ends; null: it grows to the watermark. */
export interface LiveGap {
  readonly from: EpochNs;
  readonly to: EpochNs | null;
}

export interface MemoryTrade {
  readonly at: EpochNs;
  readonly price: number;
  readonly size: number;
  readonly side: -1 | 0 | 1;
}

const FIRST_CAPACITY = 1_024;

export class MemoryTape extends OneDataset implements LiveTape {
  /** Days that are missing, whatever was committed; they may return. */
  readonly missing = new Set<UtcDay>();
  /** Days whose index, or whose trades, cannot be read. */
  readonly damaged = new Map<UtcDay, 'index' | 'trades'>();
  /** Imported days with missing hours. */
  readonly partial = new Map<UtcDay, readonly DaySpan[]>();
  /** Live days that imported files have replaced, without their gaps. */
  readonly repaired = new Set<UtcDay>();
  /** The gaps of live days, by their start. */
  readonly #gaps = new Map<EpochNs, LiveGap>();
  readonly #symbol: string;
  readonly #batchRows: number;
  readonly #days = new Map<UtcDay, WritableTradeBatch>();
  readonly #digests = new Map<UtcDay, { readonly count: number; readonly digest: string }>();
  readonly #listeners = new Set<(commit: Commit) => void>();

  constructor(symbol: string, batchRows: number, dataset?: string) {
    super(dataset);
    this.#symbol = symbol;
    this.#batchRows = batchRows;
  }

  commit(trades: readonly MemoryTrade[], promise: EpochNs, gaps: readonly LiveGap[] = []): void {
    for (const gap of gaps) this.#gaps.set(gap.from, gap);
    for (const { at, price, size, side } of trades) {
      const day = this.#dayWithRoom(dayOf(at));
      const row = day.count;
      day.ts[row] = nsOfDay(at);
      day.price[row] = price;
      day.size[row] = size;
      day.side[row] = side;
      day.count += 1;
    }
    this.#day(dayOf(promise));
    this.promise = promise;
    const symbols = trades.length > 0 ? [this.#symbol] : [];
    const commit: Commit = {
      dataset: this.dataset,
      promise,
      symbols,
      ...(gaps.length === 0 ? {} : { gaps: gaps.map((gap) => this.#tapeGap(gap)) }),
    };
    for (const listener of this.#listeners) listener(commit);
  }

  async days(): Promise<readonly TapeDay[]> {
    const today = this.promise === null ? null : dayOf(this.promise);
    return this.#found.map(({ day, count }) => {
      if (this.damaged.get(day) === 'index') return { day, trades: 0, state: 'damaged' };
      const gaps = this.partial.get(day);
      if (gaps === undefined) return this.#liveDay(day, count, day === today);
      const digest = this.#digest(day);
      const version = `${digest} without ${gaps.join(' ')}`;
      return { day, trades: count, state: 'partial', digest, gaps, version, origin: 'imported' };
    });
  }

  #liveDay(day: UtcDay, trades: number, isOpen: boolean): TapeDay {
    if (this.repaired.has(day)) return this.#repairedDay(day, trades);
    const gaps = this.#gapsOf(day);
    const missing = gaps.length === 0 ? {} : { gaps };
    if (isOpen) return { day, trades, state: 'open', ...missing };
    const digest = this.#digest(day);
    return { day, trades, state: gaps.length === 0 ? 'sealed' : 'partial', digest, ...missing };
  }

  #repairedDay(day: UtcDay, trades: number): TapeDay {
    const digest = this.#digest(day);
    return { day, trades, state: 'sealed', digest, version: digest, origin: 'replaced' };
  }

  /** The parts of all gaps on a day, so far. */
  #gapsOf(day: UtcDay): readonly DaySpan[] {
    const [start, end] = [epochNs(day, 0), epochNs(addDays(day, 1), 0)];
    const spans = this.#gaps.values().flatMap(({ from, to }): readonly DaySpan[] => {
      const [first, last] = [later(from, start), earlier(to ?? this.promise!, end)];
      // A gap that has just begun to grow is listed too.
      const isThere = first < last || (to === null && first === last);
      return isThere ? [[Number(first - start), Number(last - start)]] : [];
    });
    return [...spans].sort(([a], [b]) => a - b);
  }

  #tapeGap({ from, to }: LiveGap): TapeGap {
    return { symbol: this.#symbol, from, to, firstId: null, lastId: null, reason: 'a test' };
  }

  async *read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent = false,
  ): AsyncIterable<TradeBatch> {
    if (symbol !== this.#symbol) return;
    for (const { day } of this.#found) {
      if (day < from.day || (to !== undefined && day > to.day)) continue;
      let row: number = day === from.day ? from.rank : 0;
      const last = day === to?.day ? to.rank : Number.POSITIVE_INFINITY;
      if (last > row) this.#check(day);
      for (;;) {
        await Promise.resolve();
        const all = this.#days.get(day)!;
        const end = Math.min(row + this.#batchRows, all.count, last);
        if (end <= row) break;
        const columns = [all.ts, all.price, all.size, all.side] as const;
        const [ts, price, size, side] = columns.map((column) =>
          isLent ? column.slice(row, end) : column.subarray(row, end),
        ) as unknown as typeof columns;
        yield { day, firstRank: (row + 1) as Rank, count: end - row, ts, price, size, side };
        if (isLent) for (const column of [ts, price, size, side]) column.fill(-1);
        row = end;
      }
    }
  }

  async rankBefore(_symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    const all = this.#days.get(day);
    if (all === undefined || this.missing.has(day)) return 0 as Rank;
    this.#check(day);
    return firstRowAt(all.ts, 0, all.count, ns) as Rank;
  }

  /** Changes with `missing` and `damaged`. */
  async filesVersion(_symbol: string, day: UtcDay): Promise<string> {
    return `${this.missing.has(day)} ${this.damaged.get(day)}`;
  }

  follow(listener: (commit: Commit) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Ascending. */
  get #found(): readonly WritableTradeBatch[] {
    const found = [...this.#days.values()].filter(({ day }) => !this.missing.has(day));
    return found.sort((a, b) => a.day - b.day);
  }

  /** As in a sidecar. */
  #digest(day: UtcDay): string {
    const all = this.#days.get(day)!;
    const known = this.#digests.get(day);
    if (known?.count === all.count) return known.digest;
    const hash = createHash('sha256');
    for (const column of ['ts', 'price', 'size', 'side'] as const) {
      hash.update(all[column].subarray(0, all.count));
    }
    const digest = hash.digest('hex');
    this.#digests.set(day, { count: all.count, digest });
    return digest;
  }

  #check(day: UtcDay): void {
    if (!this.damaged.has(day)) return;
    throw new TapeDamagedError('a bit is wrong', {
      file: `${this.#symbol}/${day}.arrow`,
      offset: 0,
    });
  }

  #day(day: UtcDay): WritableTradeBatch {
    let found = this.#days.get(day);
    if (found === undefined) {
      found = allocateBatch(day, 1 as Rank, FIRST_CAPACITY);
      this.#days.set(day, found);
    }
    return found;
  }

  /** Batches handed out keep their original memory. */
  #dayWithRoom(day: UtcDay): WritableTradeBatch {
    const found = this.#day(day);
    if (found.count < found.ts.length) return found;
    const larger = allocateBatch(day, 1 as Rank, found.count * 2);
    larger.count = found.count;
    for (const column of ['ts', 'price', 'size', 'side'] as const) {
      larger[column].set(found[column]);
    }
    this.#days.set(day, larger);
    return larger;
  }
}
