/** Reads the tape: sealed days from files, the open day from shared memory, and never a trade that is not on disk. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { TapeGap } from './tape-gap.ts';

export interface TapeDay {
  readonly day: UtcDay;
  readonly trades: number;
  /**
   * `sealed`: complete and never changes. `open`: growing, complete up to the watermark. `damaged`: its index is not as
   * written, so its trades are unknown (0) and reads fail. `partial`: some of the market's open hours are missing.
   */
  readonly state: 'sealed' | 'open' | 'damaged' | 'partial';
  /** Of a damaged day: the fault in its index. */
  readonly damage?: Error;
  /** Of a damaged day: set when its files are missing. */
  readonly isGone?: true;
  /** Digest of its trades, when it is sealed or partial. */
  readonly digest?: string;
  /** Of a partial or open day: the missing open hours, ascending and disjoint. A gap that grows ends at the watermark. */
  readonly gaps?: readonly DaySpan[];
  /** Trades outside the market's hours, which studies leave out; absent: none, or unknown. */
  readonly outside?: number;
  /** Of a replaceable day: changes with each replacement, whether by other trades or by more hours. */
  readonly version?: string;
  /** Of a day from imported files: whether it replaced other trades. */
  readonly origin?: 'imported' | 'replaced';
}

/** Nanoseconds of a UTC day, from (inclusive) and to (exclusive). */
export type DaySpan = readonly [fromNs: number, toNs: number];

export interface Tape {
  /** The days of a contract on the tape, ascending, empty ones included. */
  days(symbol: string): Promise<readonly TapeDay[]>;
  /**
   * The trades after `from` (exclusive) up to `to` (inclusive) or the durable end, in order, in batches of one day
   * each. Lent batches are valid until the next is requested; their memory is then freed, so long reads need little.
   */
  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch>;
  /** The rank of the last trade of `day` with ts < `ns`; 0 when there is none, or no such day. */
  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank>;
  /** Changes when the files of a sealed day are written again or removed; data cached from them is then dropped. */
  filesVersion?(symbol: string, day: UtcDay): Promise<string>;
  /** Changes when a contract's days change, as far as visible without reading them; absent: not visible. */
  daysVersion?(symbol: string): Promise<string>;
  /** This tape with its sealed days fixed as they are now, for the whole read; absent where days are never replaced. */
  pinned?(): Tape;
}

export interface TapePlace {
  readonly day: UtcDay;
  readonly rank: Rank;
}

/** The durable watermarks of growing tapes, by dataset; a tape without commits has none. */
export type Watermarks = ReadonlyMap<string, EpochNs>;

export interface LiveTape extends Tape {
  /** The durable watermark of a contract's time: no trade of it earlier than this will come. Null on an empty tape. */
  promiseOf(symbol: string): EpochNs | null;
  /** The dataset whose watermark is a contract's time: its own, if its tape grows. */
  timeOf(symbol: string): string;
  readonly watermarks: Watermarks;
  /** Calls back after every commit, in order, when its trades and watermark can be read. */
  follow(listener: (commit: Commit) => void): Disposable;
  /** For a contract whose tape does not grow with the watermark: the end of its known time. Otherwise null. */
  endOf?(symbol: string): EpochNs | null;
  pinned?(): LiveTape;
}

export interface Commit {
  readonly dataset: string;
  readonly promise: EpochNs;
  /** Contracts with trades in this commit. */
  readonly symbols: readonly string[];
  /** Gaps that this commit recorded or ended; absent: none. */
  readonly gaps?: readonly TapeGap[];
}
