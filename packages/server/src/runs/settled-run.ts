/**
 * A study's run in settled speed. It is quiet until `hear`; from then on it writes every settled update. Trades arrive
 * in order and without a gap. Per trade, only the study's own loop runs.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { type IsWholeUpTo, type RunStart, StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Block } from '../blocks/block.ts';
import type { BlockWriter } from '../blocks/block-writer.ts';
import type { TapePlace } from '../tape/tape.ts';

export type SettledOutput = Pick<BlockWriter, 'upsert' | 'remove'>;

export interface Hearing {
  readonly day: UtcDay;
  /** The day's end, or earlier. */
  readonly end: EpochNs;
  readonly output: SettledOutput;
}

export class SettledRun implements RunOutput {
  readonly #study: Study;
  readonly #run: StudyRun;
  #hearing: Hearing | null = null;
  #session: Session | null = null;
  #wasWarm = true;
  /** Where the last hearing ended, or was to end. */
  #heardTo: EpochNs | null = null;

  constructor(study: Study, sessions: SessionTable, start: RunStart, isWholeUpTo: IsWholeUpTo) {
    this.#study = study;
    this.#run = new StudyRun(study, sessions, start, { output: this, isWholeUpTo });
  }

  /** The last tape entry that the run has passed: a trade, or a midnight after it. */
  get place(): TapePlace {
    return this.#run.position;
  }

  get warm(): boolean {
    return this.#study.warm;
  }

  /** Whether the study had its whole look-back in every session that was open while it was heard. */
  get wasWarm(): boolean {
    return this.#wasWarm;
  }

  /** Writes updates from here on; the run stands at the midnight of that day. */
  hear(hearing: Hearing): void {
    this.#hearing = hearing;
    const isOpen = this.#session !== null && this.#session.close > epochNs(hearing.day, 0);
    this.#wasWarm = !isOpen || this.#study.warm;
  }

  /** Resumes after `quiet`; the run stands where it stood then. */
  hearOn(hearing: Hearing): void {
    this.#hearing = hearing;
    const session = this.#session;
    // A session that opens where the last hearing ended was not part of it.
    const isNew = session !== null && session.open >= this.#heardTo! && session.open < hearing.end;
    if (isNew) this.#wasWarm &&= this.#study.warm;
  }

  quiet(): void {
    this.#heardTo = this.#hearing?.end ?? null;
    this.#hearing = null;
  }

  take(batch: TradeBatch): void {
    this.#run.apply(batch);
  }

  advance(instant: EpochNs): void {
    this.#run.advance(instant);
  }

  /** The objects still forming at the run's position on this day; the given writer must be empty. */
  tail(day: UtcDay, writer: BlockWriter): Block {
    this.#study.forming(null, (version, mark) => writer.upsert(version, mark, 0));
    return writer.take(day);
  }

  upsert(version: ObjectVersion, cursor: Cursor, fromNs?: number): void {
    this.#outputAt(cursor)?.upsert(version, cursor, fromNs!);
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor, fromNs?: number): void {
    this.#outputAt(cursor)?.remove(id, final, ts, cursor, fromNs!);
  }

  openSession(session: Session): void {
    this.#session = session;
    if (this.#hearing !== null && session.open < this.#hearing.end) {
      this.#wasWarm &&= this.#study.warm;
    }
  }

  flushed(): void {}

  #outputAt(cursor: Cursor): SettledOutput | null {
    if (this.#hearing !== null && cursor.day !== this.#hearing.day) {
      throw new Error(`${formatCursor(cursor)} was settled on ${this.#hearing.day}`);
    }
    return this.#hearing?.output ?? null;
  }
}
