/**
 * The study interface: one running indicator over one contract. A study is pure: its state is a function of the
 * sessions and trades it received, without a clock, calendar or disk.
 */

// A study runs at one of two speeds over the same code. Settled: it builds only versions that can never change again.
// Incremental: at every flush it also builds the forming objects. Neither speed does work per trade beyond the hot loop
// over columns.
//
// Numbering (`docs/decisions/`): every update that a tape entry causes has a number k = 1, 2, 3 … in an order that the
// study fixes, whether or not that version is ever built. `apply` numbers a trade's updates; a time event takes the
// next number of the last entry before it. So a stream, a replay and a settled run give the same cursors.

import type { Rank, UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';

/** A session for studies: times are nanoseconds since the midnight of `origin`. */
export interface StudySession {
  readonly date: UtcDay;
  /** UTC day of the open; all times of the study in this session count from its midnight. */
  readonly origin: UtcDay;
  readonly openNs: number;
  readonly closeNs: number;
  /** The regular hours inside a trading day of the exchange, if any. */
  readonly regular?: { readonly openNs: number; readonly closeNs: number };
  /**
   * Whether all of the session until an update of entry `rank` at `atNs` is on the tape, or until the entry if that is
   * later. Once false, it stays false.
   */
  isWhole(rank: Rank, atNs: number): boolean;
}

/** The position of a version in the study's log. Mutable on purpose: studies reuse theirs. */
export interface Mark {
  day: UtcDay;
  rank: Rank;
  k: number;
}

/** One version of one object. `data` is plain JSON in the shape of the indicator's schema. */
export interface ObjectVersion {
  readonly id: string;
  readonly final: boolean;
  /** The object's time, nanoseconds since 1970 as decimal text. */
  readonly ts: string;
  readonly data: unknown;
}

/** Receives the settled updates of a study, in ascending (rank, k) order. */
export interface StudyOutput {
  /**
   * `version` was the `k`-th update of entry `rank` of the current day. Studies call this for final versions; other
   * versions are fetched through `forming`. An update that `apply` makes because it fell due between two rows carries
   * `atNs`, its due time. Without `atNs`, or if it is earlier than the trade, the trade itself caused the update.
   */
  upsert(version: ObjectVersion, rank: Rank, k: number, atNs?: number): void;
  /** The object is deleted at `ts`; `final` repeats its last flag. */
  remove(id: string, final: boolean, ts: string, rank: Rank, k: number, atNs?: number): void;
}

export interface Study {
  /**
   * The next instant, in nanoseconds since the session origin's midnight, at which something happens by time alone;
   * Infinity if nothing is due. After the session's close it is ignored: the close comes first.
   */
  readonly dueNs: number;

  /** False while the look-back's value is missing for the open session, or else for the next one. */
  readonly warm: boolean;

  /** A session opens. Everything of the previous one is forgotten, except what the look-back needs. */
  openSession(session: StudySession, output: StudyOutput): void;

  /**
   * Applies rows [from, to) of the batch, all inside the open session, the first one before `dueNs`. The study itself
   * does what falls due between two of these rows, exactly as `fire` would after the earlier row: so a whole batch is
   * one hot loop, not cut at due times. `offsetNs` plus a row's `ts` gives nanoseconds since the session origin's
   * midnight. Returns how many updates the last of these trades caused (its k).
   */
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number;

  /**
   * The instant `dueNs` is reached. `entry` is the last tape entry before it, `entry.k` the updates it has caused so
   * far. Returns the new k. Must move `dueNs` forward.
   */
  fire(entry: Readonly<Mark>): number;

  /**
   * The session closes: everything still forming becomes final. Later sessions may inherit values or objects only if
   * the whole session is on the tape (`isComplete`), since missing trades could have changed them. Returns the new k,
   * as `fire` does.
   */
  closeSession(entry: Readonly<Mark>, isComplete: boolean): number;

  /**
   * Visits the objects still forming, in ascending cursor order, each with the mark of its newest update. Skips those
   * whose newest update is not after `since` (null: visits all).
   */
  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void;
}

export type FormingVisitor = (version: ObjectVersion, mark: Readonly<Mark>) => void;

export function compareMarks(a: Readonly<Mark>, b: Readonly<Mark>): number {
  return a.day - b.day || a.rank - b.rank || a.k - b.k;
}
