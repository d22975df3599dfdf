/**
 * The engine's side of the live tape: sealed days from their files, the others from memory shared with the ingest
 * thread. Listeners are notified of a commit only after its rows and watermark can be read.
 */

import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { Disk } from '../../platform/disk/disk.ts';
import { gapSpans } from '../gap-spans.ts';
import { type ColumnsSnapshot, type Segment, viewSegment } from '../live-columns.ts';
import type { Commit, DaySpan, LiveTape, TapeDay, TapePlace, Watermarks } from '../tape.ts';
import type { TapeGap } from '../tape-gap.ts';
import { manifestIndex } from './manifest-index.ts';
import { SealedDays } from './sealed-days.ts';
import type { FeedAck, FeedColumns, FeedMessage, FeedState } from './tape-feed.ts';
import { type LiveDays, TapeReader } from './tape-reader.ts';

interface FollowedColumns {
  readonly day: UtcDay;
  count: number;
  readonly segments: Segment[];
}

interface FollowedDay {
  readonly columns: Map<string, FollowedColumns>;
  /** By contract and beginning. */
  readonly gaps: Map<string, TapeGap>;
}

type Listener = (commit: Commit) => void;

export class TapeFollower implements LiveTape, LiveDays, Disposable {
  readonly #port: MessagePort;
  readonly #reader: TapeReader;
  readonly #days = new Map<UtcDay, FollowedDay>();
  readonly #listeners = new Set<Listener>();
  readonly #dataset: string;
  #promise: EpochNs | null = null;

  private constructor(disk: Disk, tapeRoot: string, dataset: string, port: MessagePort) {
    this.#dataset = dataset;
    this.#port = port;
    const sealed = new SealedDays(disk, tapeRoot, dataset, manifestIndex(disk, tapeRoot, dataset));
    this.#reader = new TapeReader(disk, tapeRoot, dataset, this, sealed);
    port.on('message', (message: FeedMessage) => this.#receive(message));
  }

  /** Resolves once the present state of the tape is known. */
  static async connect(
    disk: Disk,
    tapeRoot: string,
    dataset: string,
    port: MessagePort,
  ): Promise<TapeFollower> {
    const state = once(port, 'message');
    const follower = new TapeFollower(disk, tapeRoot, dataset, port);
    await state;
    return follower;
  }

  get promise(): EpochNs | null {
    return this.#promise;
  }

  promiseOf(): EpochNs | null {
    return this.#promise;
  }

  timeOf(): string {
    return this.#dataset;
  }

  get watermarks(): Watermarks {
    return new Map(this.#promise === null ? [] : [[this.#dataset, this.#promise]]);
  }

  follow(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  liveColumns(symbol: string): readonly ColumnsSnapshot[] {
    const found: ColumnsSnapshot[] = [];
    for (const { columns } of this.#days.values()) {
      const one = columns.get(symbol);
      if (one !== undefined) found.push({ ...one, segments: one.segments.slice() });
    }
    return found;
  }

  liveGaps(symbol: string, day: UtcDay): readonly DaySpan[] {
    const gaps = this.#days.get(day)?.gaps;
    if (gaps === undefined || gaps.size === 0 || this.#promise === null) return [];
    return gapSpans(gaps.values(), symbol, day, this.#promise);
  }

  days(symbol: string): Promise<readonly TapeDay[]> {
    return this.#reader.days(symbol);
  }

  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch> {
    return this.#reader.read(symbol, from, to, isLent);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.#reader.rankBefore(symbol, day, ns);
  }

  filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return this.#reader.filesVersion(symbol, day);
  }

  daysVersion(symbol: string): Promise<string> {
    return this.#reader.daysVersion(symbol);
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#port.close();
  }

  #receive(message: FeedMessage): void {
    switch (message.type) {
      case 'state':
        this.#replace(message);
        break;
      case 'opened':
        this.#days.delete(message.day);
        this.#day(message.day);
        for (const symbol of message.symbols) this.#columns(message.day, symbol);
        this.#record(message.day, message.gaps ?? []);
        break;
      case 'commit':
        for (const grown of message.grown) this.#grow(message.day, grown);
        if (message.gaps !== undefined) this.#record(message.day, message.gaps);
        this.#announce(
          message.promise,
          message.grown.map(({ symbol }) => symbol),
          message.gaps,
        );
        break;
      case 'sealed':
        this.#days.delete(message.day);
        break;
      default: {
        const never: never = message;
        throw new Error(`no such message: ${JSON.stringify(never)}`);
      }
    }
    this.#port.postMessage('ack' satisfies FeedAck);
  }

  #replace({ promise, days }: FeedState): void {
    const before = new Map<string, number>();
    const gapsBefore = new Map<string, TapeGap>();
    for (const [day, { columns, gaps }] of this.#days) {
      for (const [symbol, { count }] of columns) before.set(`${day} ${symbol}`, count);
      for (const [key, gap] of gaps) gapsBefore.set(key, gap);
    }
    this.#days.clear();
    const symbols = new Set<string>();
    const news = new Map<string, TapeGap>();
    for (const { day, columns, gaps = [] } of days) {
      this.#day(day);
      this.#record(day, gaps);
      for (const gap of gaps)
        if (!isSame(gapsBefore.get(keyOf(gap)), gap)) news.set(keyOf(gap), gap);
      for (const one of columns) {
        this.#grow(day, one);
        if (one.count > (before.get(`${day} ${one.symbol}`) ?? 0)) symbols.add(one.symbol);
      }
    }
    if (promise === null) return;
    this.#announce(promise, [...symbols], news.size === 0 ? undefined : [...news.values()]);
  }

  #grow(day: UtcDay, { symbol, count, segments }: FeedColumns): void {
    const columns = this.#columns(day, symbol);
    for (const memory of segments) columns.segments.push(viewSegment(memory));
    columns.count = count;
  }

  #columns(day: UtcDay, symbol: string): FollowedColumns {
    const { columns } = this.#day(day);
    return columns.getOrInsertComputed(symbol, () => ({ day, count: 0, segments: [] }));
  }

  #day(day: UtcDay): FollowedDay {
    return this.#days.getOrInsertComputed(day, () => ({ columns: new Map(), gaps: new Map() }));
  }

  /** A contract with a gap is on the tape, even without trades. */
  #record(day: UtcDay, gaps: readonly TapeGap[]): void {
    for (const gap of gaps) {
      this.#columns(day, gap.symbol);
      this.#day(day).gaps.set(keyOf(gap), gap);
    }
  }

  #announce(promise: EpochNs, symbols: readonly string[], gaps?: readonly TapeGap[]): void {
    this.#promise = promise;
    const dataset = this.#dataset;
    const commit: Commit =
      gaps === undefined ? { dataset, promise, symbols } : { dataset, promise, symbols, gaps };
    for (const listener of this.#listeners) listener(commit);
  }
}

function keyOf({ symbol, from }: TapeGap): string {
  return `${symbol} ${from}`;
}

function isSame(a: TapeGap | undefined, b: TapeGap): boolean {
  const { to, firstId, lastId, reason } = b;
  return a?.to === to && a.firstId === firstId && a.lastId === lastId && a.reason === reason;
}
