/**
 * The port of settled results: the part of a study's log that is final (final upserts and removes), one
 * UTC day at a time, as history pages and exports carry it. A day's result is (D.0.0, (D+1).0.0]; days add
 * up to any range, and a day whose trades are sealed always gives the same bytes, so it can be kept.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { Coverage, CoveredStudy } from '../runs/coverage.ts';
import type { Lines, SettledLines } from '../runs/day-lines.ts';

export interface SettledDaysRequest {
  /** Whose turn it is: work of different accounts takes turns. */
  readonly account: string;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  readonly firstDay: UtcDay;
  /**
   * What is not after position(from), on the first day, is not wanted: it may come, and may be wrong. What
   * follows needs the session that is open there whole. By default the first day's midnight.
   */
  readonly from?: EpochNs;
  /** Results end at position(until): the last day may be a part of one. */
  readonly until: EpochNs;
  /** Whether the objects still forming at `until` are wanted; they may cost a run that the lines do not. */
  readonly hasTail: boolean;
  /** `frames`: lines come compressed, to be sent on as they are. */
  readonly form: 'lines' | 'frames';
  /** Lines of the first day that are not after this are not wanted; they may be left out. */
  readonly after?: Cursor;
  /** Lines nobody wants: whole days of them are left out where that is quicker. */
  readonly skip?: SkippedLines;
  /** Pulled at once, not as a client reads: it counts as at work until it is closed. */
  readonly isAtOnce?: boolean;
  /** Only what follows this is wanted, exactly: another read of the same gave what comes before. */
  readonly goOn?: DaysPosition;
}

/** How far a read has come, by its results. */
export interface DaysPosition {
  readonly day: UtcDay;
  /** Of that day: the trades so far, by rank, and the last line, if there was one. */
  readonly trades: number;
  readonly line: { readonly rank: number; readonly k: number } | null;
  /** Whether what still forms has come, and so all. */
  readonly hasTail: boolean;
}

/** The first so many lines after position(after), which lies on the first day. */
export interface SkippedLines {
  readonly after: EpochNs;
  readonly lines: number;
}

/**
 * What one `next` gives: a day, or, of a day with very many lines, the next piece of it. Pieces follow
 * each other like days do, and their lines, ranks and trades add up to the day's.
 */
export interface DayResult {
  readonly day: UtcDay;
  /** Trades of the day before `until` that this result covers, by rank. */
  readonly trades: number;
  /** Whether this is all of a day that is sealed: it can never change. */
  readonly isComplete: boolean;
  /** With `frames` asked for: its `bytes` are empty, what they would be is in `frame`. */
  readonly settled: SettledLines;
  /** With `frames` asked for: one zstd frame of the settled lines; null when there are none. */
  readonly frame: Uint8Array<ArrayBuffer> | null;
  /** At `until`, if it is wanted: the objects still forming, lines with `"final":false`, by cursor. */
  readonly tail: Lines;
  /** False when a session of the day found the study without its look-back, and so without objects. */
  readonly isWarm: boolean;
  /** Of the lines to skip: how many lay on days that were left out just before this result. */
  readonly linesBefore?: number;
}

export interface DaysRead extends AsyncDisposable {
  /** As `Coverage.inputs`; a read that goes on after another must have the same. */
  readonly inputs?: string;
  /** The next result, null after the last; one call at a time. */
  next(): Promise<DayResult | null>;
}

export interface SettledDays {
  coverage(
    contract: string,
    from: EpochNs,
    to: EpochNs,
    study?: CoveredStudy | null,
  ): Promise<Coverage>;
  /** Trades with place in (after, to): what a page from a cursor to position(to) costs. */
  tradesAfter(contract: string, after: string, to: EpochNs): Promise<number>;
  /** Refused, as `next` is, when the tape does not have what is needed. */
  read(request: SettledDaysRequest): Promise<DaysRead>;
}
