/**
 * Reading the tape. Sealed days come from their files, the open day from shared memory; a reader
 * cannot tell the difference, and never sees a trade that is not on disk.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';

export interface TapeDay {
  readonly day: UtcDay;
  readonly trades: number;
  /**
   * `sealed`: complete and never to change. `open`: growing, complete up to the promise. `damaged`: its
   * index is not what was written, so its trades are not known (0 is told) and reading it fails.
   * `partial`: its trades are known, but of the hours in which the market was open some are missing.
   */
  readonly state: 'sealed' | 'open' | 'damaged' | 'partial';
  /** Of a damaged day: what is wrong with its index. */
  readonly damage?: Error;
  /** Of a damaged day: whether its files are not there at all. */
  readonly isGone?: true;
  /** Of its trades, when it is sealed or partial: other trades, another digest. */
  readonly digest?: string;
  /** Of a partial day: the open hours that are missing, ascending and apart. */
  readonly gaps?: readonly DaySpan[];
  /** Trades outside of the market's hours, which studies leave out; not there: none, or not known. */
  readonly outside?: number;
  /** Of a day that can be replaced: another one when it was, whether by other trades or by more hours. */
  readonly version?: string;
  /** Of a day that came out of files: whether other trades stood in its place before. */
  readonly origin?: 'imported' | 'replaced';
}

/** Nanoseconds of a UTC day, from (inclusive) and to (exclusive). */
export type DaySpan = readonly [fromNs: number, toNs: number];

export interface Tape {
  /** The days of a contract that are on the tape, ascending, empty ones included. */
  days(symbol: string): Promise<readonly TapeDay[]>;
  /**
   * The trades after `from` (exclusive, by day and rank) up to what is durable now or `to`
   * (inclusive), in order, as batches that each lie on one day. Those that are lent are good only
   * until the next is asked for, then their memory is taken back: long reads need little this way.
   */
  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch>;
  /** The rank of the last trade of `day` with ts < `ns`; 0 when there is none, or no such day. */
  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank>;
  /** Another text once the files of a sealed day were put there anew, or taken away; what was read of them is forgotten then. */
  filesVersion?(symbol: string, day: UtcDay): Promise<string>;
  /** Another text once the days of a contract are others, as far as that is seen without reading them; left out: it is not seen. */
  daysVersion?(symbol: string): Promise<string>;
  /** This tape with its sealed days as they are now, however long it is read; left out where none is ever replaced. */
  pinned?(): Tape;
}

export interface TapePlace {
  readonly day: UtcDay;
  readonly rank: Rank;
}

/** A tape that grows: what an engine follows. */
export interface LiveTape extends Tape {
  /** The sequencer's durable promise: no trade earlier than this will come. Null on an empty tape. */
  readonly promise: EpochNs | null;
  /** Calls back after every commit, in order, when its trades and promise can be read. */
  follow(listener: (commit: Commit) => void): Disposable;
  /** Of a contract whose tape does not grow with the promise: the last instant of which it can tell. Else null. */
  endOf?(symbol: string): EpochNs | null;
  pinned?(): LiveTape;
}

export interface Commit {
  readonly promise: EpochNs;
  /** Contracts that got trades in this commit. */
  readonly symbols: readonly string[];
}
