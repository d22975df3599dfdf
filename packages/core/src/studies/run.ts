/**
 * Drives one study over sessions, trades and watermarks (`promise`), and determines its log. However batches and
 * watermarks are divided, the output gets the same calls with the same cursors. At one instant the order is: what the
 * study has due, the session's close, the session's open, the flush edge, then trades. A time event due at t belongs to
 * the last entry (trade or UTC midnight) before t and takes its next k, so position(midnight) is D.0.0.
 */

// There are two speeds. Settled: final versions and removes are output at once. Incremental: when a later trade or a
// watermark reaches a flush edge, the newest version of every object changed since the previous edge is output, in
// ascending cursor order. Every whole second is an edge, where the step of the next second is chosen; step and phase
// place the edges between (`flush-step.ts`). A settled run may change to incremental speed at a whole second. From
// there it publishes the same as a run that was always incremental.

import type { Session, SessionTable } from '../calendar/session.ts';
import type { Cursor } from '../cursor.ts';
import type { EpochNs, Rank, UtcDay } from '../numbers.ts';
import { firstRowAt, type TradeBatch } from '../trade-batch.ts';
import { DAY_NS, SECOND_NS } from '../units.ts';
import { addDays, dayOf, epochNs, nsOfDay } from '../utc-day.ts';
import { flushEdgeAfter, flushStepNs } from './flush-step.ts';
import { handOver, newestOfEach, type RunChange, type RunOutput } from './run-output.ts';
import type { Mark, ObjectVersion, Study } from './study.ts';

/** Where a run starts: at a session's open, or between sessions. */
export interface RunStart {
  readonly at: EpochNs;
  /** The last trade of that UTC day before `at`; 0 if there is none. */
  readonly rank: Rank;
}

export interface RunOptions {
  readonly output: RunOutput;
  /** Incremental speed from the start, with this step, a part of a second. Absent: settled speed. */
  readonly stepNs?: number;
  /** The shift of the topic's flush edges inside a second (`flushPhase`). Absent: none. */
  readonly phase?: number;
  /** With `stepNs`: that step holds only at first, and then follows this size, as in `goLive`. */
  readonly formingBytes?: FormingBytes;
  /** Absent: every session is whole. */
  readonly isWholeUpTo?: IsWholeUpTo;
}

/**
 * Whether a session is whole on the tape, from its open up to `ns` nanoseconds after the midnight of `day`, where an
 * entry of that day is, or an event until the midnight after it.
 */
export type IsWholeUpTo = (session: Session, day: UtcDay, ns: number) => boolean;

/** The encoded size of the objects output so far that are not final; called after a flush. */
export type FormingBytes = () => number;

export class StudyRun {
  readonly #study: Study;
  readonly #sessions: SessionTable;
  readonly #output: RunOutput;
  readonly #isWholeUpTo: IsWholeUpTo;
  readonly #phase: number;
  #formingBytes: FormingBytes | null;
  /** The step of the second that began at `#secondNs`; 0 at settled speed. */
  #stepNs: number;
  #secondNs: number;
  /** The first flush edge that is not closed yet; Infinity at settled speed. */
  #nextEdgeNs: number;
  /** The last tape entry and its updates so far. All times below count from its day's midnight. */
  readonly #mark: Mark;
  #nowNs: number;
  /** The trades being applied; null while a time event fires. */
  #batch: TradeBatch | null = null;
  /** When the event that fires was due. */
  #firedNs = 0;
  #session: Session | null = null;
  #isOpen = false;
  /** The session's close while it is open, else the next open. */
  #sessionEdgeNs = Number.POSITIVE_INFINITY;
  /** Added to a time of this day it gives the time since the midnight of the session's origin. */
  #offsetNs = 0;
  readonly #closed: Mark;
  /** The edge that will publish the changes since the last one; Infinity without changes. */
  #pendingEdgeNs = Number.POSITIVE_INFINITY;
  #pending: RunChange[] = [];

  constructor(study: Study, sessions: SessionTable, start: RunStart, options: RunOptions) {
    this.#study = study;
    this.#sessions = sessions;
    this.#output = options.output;
    this.#isWholeUpTo = options.isWholeUpTo ?? (() => true);
    this.#formingBytes = options.formingBytes ?? null;
    this.#phase = options.phase ?? 0;
    this.#stepNs = options.stepNs ?? 0;
    if (this.#stepNs !== 0 && SECOND_NS % this.#stepNs !== 0) {
      throw new RangeError(`a flush step must divide the second, got ${this.#stepNs} ns`);
    }
    this.#mark = { day: dayOf(start.at), rank: start.rank, k: 0 };
    this.#closed = { ...this.#mark };
    this.#nowNs = nsOfDay(start.at);
    this.#secondNs = this.#nowNs - (this.#nowNs % SECOND_NS);
    this.#nextEdgeNs = this.#firstEdgeNs();
    this.#awaitSession(start.at);
    if (this.#sessionEdgeNs < this.#nowNs) {
      throw new RangeError(`a run cannot start inside a session, at ${start.at}`);
    }
    this.#reach(this.#nowNs);
  }

  /** The position of everything applied so far. */
  get position(): Cursor {
    return { ...this.#mark };
  }

  /** The position at the last flush edge that was closed, whether or not anything was published there. */
  get closed(): Cursor {
    return { ...this.#closed };
  }

  /**
   * Changes to incremental speed. The run must be at position(T), T a whole second, and the caller must have output the
   * objects forming there. `formingBytes` is called now and at every whole second.
   */
  goLive(formingBytes: FormingBytes): void {
    if (this.#stepNs !== 0 || this.#nowNs % SECOND_NS !== 0) {
      throw new RangeError(`a run goes live once and at a whole second, not at ${this.#nowNs} ns`);
    }
    this.#formingBytes = formingBytes;
    this.#secondNs = this.#nowNs;
    this.#stepNs = flushStepNs(formingBytes());
    this.#nextEdgeNs = flushEdgeAfter(this.#nowNs, this.#stepNs, this.#phase);
    Object.assign(this.#closed, this.#mark);
  }

  /** The next trades of the tape, without a gap. */
  apply(batch: TradeBatch): void {
    if (batch.count === 0) return;
    this.#rollTo(batch.day);
    if (batch.day !== this.#mark.day || batch.firstRank !== this.#mark.rank + 1) {
      const got = `${batch.day}.${batch.firstRank}`;
      throw new RangeError(`trade ${got} cannot follow ${this.#mark.day}.${this.#mark.rank}`);
    }
    let row = 0;
    while (row < batch.count) {
      const ns = batch.ts[row]!;
      if (ns < this.#nowNs)
        throw new RangeError(`a trade at ${ns} ns lies before ${this.#nowNs} ns`);
      this.#reach(ns);
      const to = firstRowAt(batch.ts, row, batch.count, this.#cutAfter());
      this.#batch = batch;
      const k = this.#isOpen ? this.#study.apply(batch, row, to, this.#offsetNs) : 0;
      this.#batch = null;
      this.#mark.rank = (batch.firstRank + to - 1) as Rank;
      this.#mark.k = k;
      this.#nowNs = batch.ts[to - 1]!;
      row = to;
    }
  }

  /** A watermark: no trade before `instant` will follow. Moves the run to position(instant). */
  advance(instant: EpochNs): void {
    const day = dayOf(instant);
    if (day < this.#mark.day) return;
    this.#rollTo(day);
    const ns = nsOfDay(instant);
    if (ns > this.#nowNs) this.#reach(ns);
  }

  /** Outputs the changes since the last closed edge, as a flush at this position would, without affecting the run. */
  handPending(output: RunOutput): void {
    for (const change of this.#changes()) handOver(change, output);
  }

  /** The first edge at or after now. */
  #firstEdgeNs(): number {
    if (this.#stepNs === 0) return Number.POSITIVE_INFINITY;
    return this.#nowNs === 0 ? 0 : flushEdgeAfter(this.#nowNs - 1, this.#stepNs, this.#phase);
  }

  /** Where the rows that start now must be cut: at the session's edge or the flush edge. */
  #cutAfter(): number {
    this.#pendingEdgeNs = this.#nextEdgeNs;
    return Math.min(this.#nextEdgeNs, this.#sessionEdgeNs);
  }

  #reach(ns: number): void {
    this.#fireDue(ns);
    this.#closeEdges(ns);
    this.#nowNs = ns;
  }

  /** Fires everything due by time alone up to and including `ns` of the current day. */
  #fireDue(ns: number): void {
    for (;;) {
      const ownNs = this.#isOpen ? this.#study.dueNs - this.#offsetNs : Number.POSITIVE_INFINITY;
      const dueNs = Math.min(ownNs, this.#sessionEdgeNs);
      if (dueNs > ns) return;
      this.#closeEdges(dueNs - 1);
      this.#pendingEdgeNs = this.#nextEdgeNs;
      this.#firedNs = dueNs;
      if (ownNs <= dueNs) {
        this.#mark.k = this.#study.fire(this.#mark);
        if (this.#study.dueNs - this.#offsetNs <= ownNs) {
          throw new Error('a study must move its due time forward when it fires');
        }
      } else if (this.#isOpen) {
        this.#closeSession();
      } else {
        this.#openSession();
      }
    }
  }

  #openSession(): void {
    const session = this.#session!;
    const { date } = session;
    const origin = dayOf(session.open);
    const openNs = nsOfDay(session.open);
    const closeNs = openNs + Number(session.close - session.open);
    this.#isOpen = true;
    this.#offsetNs = Number(epochNs(this.#mark.day, 0) - epochNs(origin, 0));
    this.#sessionEdgeNs = closeNs - this.#offsetNs;
    if (this.#stepNs === 0) this.#output.openSession(session);
    else this.#pending.push({ t: 'open', cursor: this.position, session });
    this.#study.openSession(
      { date, origin, openNs, closeNs, ...regularHours(session, origin), isWhole: this.#isWhole },
      {
        upsert: (version, rank, k, atNs) =>
          this.#upsert(version, { day: this.#mark.day, rank, k }, atNs),
        remove: (id, final, ts, rank, k, atNs) =>
          this.#remove(id, final, ts, { day: this.#mark.day, rank, k }, atNs),
      },
    );
  }

  #closeSession(): void {
    this.#mark.k = this.#study.closeSession(this.#mark, this.#isWholeAt(this.#firedNs));
    this.#isOpen = false;
    this.#awaitSession(this.#session!.close);
  }

  readonly #isWhole = (rank: Rank, atNs: number): boolean => {
    const batch = this.#batch;
    if (batch === null) return this.#isWholeAt(this.#firedNs);
    return this.#isWholeAt(Math.max(batch.ts[rank - batch.firstRank]!, atNs - this.#offsetNs));
  };

  /** Events belong to the day of the mark, including those due at the midnight after it. */
  #isWholeAt(ns: number): boolean {
    return this.#isWholeUpTo(this.#session!, this.#mark.day, ns);
  }

  /** Looks up the session that opens next, at or after `instant`. */
  #awaitSession(instant: EpochNs): void {
    this.#session = this.#sessions.atOrAfter(instant);
    this.#sessionEdgeNs =
      this.#session === null
        ? Number.POSITIVE_INFINITY
        : Number(this.#session.open - epochNs(this.#mark.day, 0));
  }

  #upsert(version: ObjectVersion, cursor: Cursor, atNs: number | undefined): void {
    if (this.#stepNs === 0) this.#output.upsert(version, cursor, this.#fromNs(cursor.rank, atNs));
    else this.#pending.push({ t: 'upsert', cursor, version });
  }

  #remove(id: string, final: boolean, ts: string, cursor: Cursor, atNs: number | undefined): void {
    if (this.#stepNs === 0) {
      this.#output.remove(id, final, ts, cursor, this.#fromNs(cursor.rank, atNs));
    } else {
      this.#pending.push({ t: 'remove', cursor, id, final, ts });
    }
  }

  /** The `fromNs` of an update of entry `rank` that happens now: by that trade, or at `atNs` if that is later. */
  #fromNs(rank: Rank, atNs = Number.NEGATIVE_INFINITY): number {
    const batch = this.#batch;
    if (batch === null) return this.#firedNs;
    return Math.max(batch.ts[rank - batch.firstRank]! + 1, atNs - this.#offsetNs);
  }

  #rollTo(day: UtcDay): void {
    while (this.#mark.day < day) {
      this.#fireDue(DAY_NS);
      this.#closeEdges(DAY_NS - 1);
      this.#mark.day = addDays(this.#mark.day, 1);
      this.#mark.rank = 0 as Rank;
      this.#mark.k = 0;
      this.#nowNs = 0;
      this.#offsetNs += DAY_NS;
      this.#secondNs -= DAY_NS;
      this.#nextEdgeNs -= DAY_NS;
      this.#pendingEdgeNs -= DAY_NS;
      // Looked up again each day: a far open is inexact as a double, and a table may have grown.
      if (this.#isOpen) this.#sessionEdgeNs -= DAY_NS;
      else this.#awaitSession(epochNs(this.#mark.day, 0));
      this.#closeEdges(0);
    }
  }

  /** Closes the flush edges up to and including `ns`; only the first can have anything to publish. */
  #closeEdges(ns: number): void {
    if (ns < this.#nextEdgeNs) return;
    if (this.#pendingEdgeNs <= ns) this.#flush(this.#pendingEdgeNs);
    const secondNs = ns - (ns % SECOND_NS);
    // Skipped seconds changed nothing: the objects forming now are those that formed at this one.
    if (secondNs > this.#secondNs && this.#formingBytes !== null) {
      this.#stepNs = flushStepNs(this.#formingBytes());
    }
    this.#secondNs = secondNs;
    this.#nextEdgeNs = flushEdgeAfter(ns, this.#stepNs, this.#phase);
    this.#closed.day = this.#mark.day;
    this.#closed.rank = this.#mark.rank;
    this.#closed.k = this.#mark.k;
  }

  #flush(edgeNs: number): void {
    const changes = this.#changes();
    this.#pending = [];
    this.#pendingEdgeNs = Number.POSITIVE_INFINITY;
    let published = 0;
    for (const change of changes) {
      handOver(change, this.#output);
      if (change.t !== 'open') published += 1;
    }
    if (published > 0) this.#output.flushed(epochNs(this.#mark.day, edgeNs), this.position);
  }

  /** The newest change of each object since the last closed edge, ascending. */
  #changes(): readonly RunChange[] {
    const changes = this.#pending.slice();
    if (this.#isOpen) {
      this.#study.forming(this.#closed, (version, mark) => {
        changes.push({ t: 'upsert', cursor: { ...mark }, version });
      });
    }
    return newestOfEach(changes);
  }
}

function regularHours({ regular }: Session, origin: UtcDay) {
  if (regular === undefined) return {};
  const midnight = epochNs(origin, 0);
  const openNs = Number(regular.open - midnight);
  const closeNs = Number(regular.close - midnight);
  return { regular: { openNs, closeNs } };
}
