/**
 * The port of settled results: the part of a study's log that is final (final upserts and removes), one
 * UTC day at a time, as history pages and exports carry it. A day's result is (D.0.0, (D+1).0.0]; days add
 * up to any range, and a day whose trades are sealed always gives the same bytes, so it can be kept.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';

export interface SettledDaysRequest {
  /** Whose turn it is: work of different accounts takes turns. */
  readonly account: string;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  readonly firstDay: UtcDay;
  /** Results end at position(until): the last day may be a part of one. */
  readonly until: EpochNs;
}

/**
 * Lines of NDJSON, one per update, in the order of their cursors, each
 * `{"t":"upsert"|"remove","cursor":…,"id":…,"final":…,"ts":…[,"data":…]}` and a line feed; with columns that
 * let a page begin and end anywhere without parsing.
 */
export interface SettledLines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each line ends, its line feed included. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Rank and k of each line's cursor; its day is the result's. */
  readonly ranks: Uint32Array<ArrayBuffer>;
  readonly ks: Uint32Array<ArrayBuffer>;
  /**
   * The first nanosecond T of the day with the update in position(T): a trade's time plus one, or the
   * due time of an event.
   */
  readonly fromNs: Float64Array<ArrayBuffer>;
}

export interface DayResult {
  readonly day: UtcDay;
  /** Trades of the day before `until`. */
  readonly trades: number;
  /** Whether it reaches the day's end, on a sealed day: it can never change. */
  readonly isComplete: boolean;
  readonly settled: SettledLines;
  /** The objects still forming at the result's end, as lines with `"final":false`, by cursor. */
  readonly tail: SettledLines;
  /** False while the study lacks its look-back: it has no objects yet. */
  readonly isWarm: boolean;
}

export interface DaysRead extends AsyncDisposable {
  /** The next day's result, null after the last; one call at a time. */
  next(): Promise<DayResult | null>;
}

/** What the tape has of a range, and what reading it costs. */
export interface Coverage {
  /** Trades in [from, to), by UTC day; days without trades included where the tape has them. */
  readonly days: readonly { readonly day: UtcDay; readonly trades: number }[];
  readonly trades: number;
  /** Days of the range on which the market traded and the tape has nothing, or nothing whole. */
  readonly missingDays: readonly UtcDay[];
}

export interface SettledDays {
  coverage(contract: string, from: EpochNs, to: EpochNs): Promise<Coverage>;
  /** Trades with place in (after, to): what a page from a cursor to position(to) costs. */
  tradesAfter(contract: string, after: string, to: EpochNs): Promise<number>;
  read(request: SettledDaysRequest): Promise<DaysRead>;
}
