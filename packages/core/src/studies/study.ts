/**
 * The study interface: one running indicator over one contract. A study is pure: its state is a
 * function of the sessions and trades it was given, and it asks no clock, calendar or disk.
 *
 * A study runs in one of two speeds over the same code. *Settled*: only versions that can never change
 * again are built. *Incremental*: at every flush the forming objects are built as well. Neither speed
 * does work per trade beyond the hot loop over columns.
 *
 * Numbering (`docs/decisions/`): every update a tape entry causes has a number k = 1, 2, 3 … in an order
 * the study fixes, whether or not anybody ever builds that version. A trade's updates are numbered by
 * `apply`; a time event takes the next number of the last entry before it. The same cursors therefore
 * come out of a stream, a replay and a settled run.
 */

import type { Rank, UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';

/** A session as a study sees it: times are nanoseconds since the midnight of `origin`. */
export interface StudySession {
  readonly date: UtcDay;
  /** UTC day of the open; all times a study handles during this session count from its midnight. */
  readonly origin: UtcDay;
  readonly openNs: number;
  readonly closeNs: number;
  /** Of a trading day of the exchange: the regular hours inside it, where it has any. */
  readonly regular?: { readonly openNs: number; readonly closeNs: number };
  /** Whether all of it up to what happens now is on the tape; false for good once it is not. */
  isWhole(): boolean;
}

/** Where in the study's log a version stands. Mutable on purpose: studies reuse theirs. */
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

/** Where a study puts what is settled. Calls come in ascending (rank, k) order. */
export interface StudyOutput {
  /**
   * `version` was the `k`-th update of entry `rank` of the current day. Studies call this for the
   * versions that are final; versions that will change again are fetched through `forming`. What
   * `apply` does because it fell due between two rows comes with `atNs`, the time it was due; any
   * earlier time means what none does: that the trade itself caused the update.
   */
  upsert(version: ObjectVersion, rank: Rank, k: number, atNs?: number): void;
  /** The object is deleted at `ts`; `final` repeats the flag it was last shown with. */
  remove(id: string, final: boolean, ts: string, rank: Rank, k: number, atNs?: number): void;
}

export interface Study {
  /**
   * The next instant, in nanoseconds since the session origin's midnight, at which something happens
   * by time alone; Infinity when nothing is due. Beyond the session's close it never comes: the close does.
   */
  readonly dueNs: number;

  /**
   * False while the study lacks what its look-back should give to the open session, else to the next,
   * and the objects that need it.
   */
  readonly warm: boolean;

  /** A session opens. Everything of the one before is forgotten, save what the look-back keeps. */
  openSession(session: StudySession, output: StudyOutput): void;

  /**
   * Applies rows [from, to) of the batch, all inside the open session, the first one before `dueNs`.
   * What falls due between two of these rows the study does itself, exactly as `fire` would after the
   * earlier row; so whole batches go through one hot loop and nobody has to cut them at due times.
   * `offsetNs` added to a row's `ts` gives nanoseconds since the session origin's midnight.
   * Returns how many updates the last of these trades caused (its k).
   */
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number;

  /**
   * The instant `dueNs` is reached. `entry` is the last tape entry before it, `entry.k` the updates it
   * caused so far. Returns the new k. Must move `dueNs` forward.
   */
  fire(entry: Readonly<Mark>): number;

  /**
   * The session closes: everything still forming becomes final. Only when all of the session is on the
   * tape (`isComplete`) may later sessions take a value or objects over from it: what a part of it would
   * give, or have removed, is not known. Returns the new k, as `fire` does.
   */
  closeSession(entry: Readonly<Mark>, isComplete: boolean): number;

  /**
   * Visits the objects still forming, in ascending cursor order, each with the mark of its newest
   * update; skips those whose newest update is not after `since` (null: visits all).
   */
  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void;
}

export type FormingVisitor = (version: ObjectVersion, mark: Readonly<Mark>) => void;

export function compareMarks(a: Readonly<Mark>, b: Readonly<Mark>): number {
  return a.day - b.day || a.rank - b.rank || a.k - b.k;
}
