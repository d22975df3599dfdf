/**
 * Runs one study over a tape at full speed and emits its log in (position(from), position(to)]: what a stream settled
 * in that time and what history returns. Adjoining ranges concatenate. The state at `from` is right, because the run
 * starts like every other (`run-start.ts`). A missing day is an error, unless `mayMissDays`.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { dayOf } from '@tapeloom/core/utc-day';
import { missingDays } from '@tapeloom/server/runs/coverage';
import { sessionStart } from '@tapeloom/server/runs/look-back';
import type { MissingOn } from '@tapeloom/server/runs/missing-times';
import { runSource } from '@tapeloom/server/runs/run-source';
import { beginRun, type CreateRun, readTo, type TapeRun } from '@tapeloom/server/runs/run-start';
import { DamagedDays, missingNow, tapeNow } from '@tapeloom/server/runs/sound-tape';
import type { Tape, TapePlace } from '@tapeloom/server/tape/tape';
import type { RemoveEntry, UpsertEntry } from '../entries/entry.ts';

export interface SettledRequest {
  readonly indicator: Indicator;
  readonly params: Params;
  readonly symbol: string;
  readonly tape: Tape;
  /** Sessions of the kind the study runs over, and the exchange's full trading days. */
  readonly sessions: SessionTable;
  readonly fullSessions: SessionTable;
  readonly from: EpochNs;
  readonly to: EpochNs;
  /** Whether to end with the objects that still form at `to`. */
  readonly hasTail: boolean;
  /** Whether the caller reports missing days itself: a file has no more than it has. */
  readonly mayMissDays?: boolean;
}

/** One entry of the log, as history and exports carry it. */
export type LogEntry = UpsertEntry | RemoveEntry;

export interface SettledListener {
  entry(entry: LogEntry): void;
  /** Called after every batch of the tape. */
  progress(day: UtcDay, trades: number): void;
}

export interface SettledResult {
  readonly trades: number;
  readonly upserts: number;
  readonly removes: number;
  readonly forming: number;
  /** False when the look-back is incomplete: objects may then be missing. */
  readonly warm: boolean;
}

export class MissingDaysError extends Error {
  readonly days: readonly UtcDay[];
  /** The first session that a run could start from; null when there is none. */
  readonly firstSession: Session | null;

  constructor(symbol: string, days: readonly UtcDay[], firstSession: Session | null) {
    super(`${symbol} is missing ${days.length} sealed days of this range`);
    this.days = days;
    this.firstSession = firstSession;
  }
}

export async function runSettled(
  request: SettledRequest,
  listener: SettledListener,
  signal: AbortSignal,
): Promise<SettledResult> {
  const { tape, symbol: contract, sessions, indicator, params, from, to } = request;
  if (request.mayMissDays !== true) {
    await refuseMissingDays(request, sessionStart(sessions, from));
  }
  const source = runSource({ contract, indicator, params, sessions }, tape);
  const pace = { yieldTurn: async () => {}, signal };
  const counts = { trades: 0, upserts: 0, removes: 0 };
  const run = await beginRun(source, from, pace, (setup) => new LogRun(setup, listener, counts));
  run.hear();
  await readTo(source, run, to, pace);
  const settled = counts.upserts;
  if (request.hasTail) run.tellForming();
  return { ...counts, forming: counts.upserts - settled, warm: run.warm };
}

/** A run that emits what it settles once `hear` was called. */
class LogRun implements TapeRun, RunOutput {
  readonly #study: Study;
  readonly #run: StudyRun;
  readonly #listener: SettledListener;
  /** Summed over all attempted runs. */
  readonly #counts: { trades: number; upserts: number; removes: number };
  #isHeard = false;

  constructor(
    { study, sessions, start, isWholeUpTo }: Parameters<CreateRun<LogRun>>[0],
    listener: SettledListener,
    counts: { trades: number; upserts: number; removes: number },
  ) {
    this.#study = study;
    this.#run = new StudyRun(study, sessions, start, { output: this, isWholeUpTo });
    this.#listener = listener;
    this.#counts = counts;
  }

  get place(): TapePlace {
    return this.#run.position;
  }

  get warm(): boolean {
    return this.#study.warm;
  }

  hear(): void {
    this.#isHeard = true;
  }

  take(batch: TradeBatch): void {
    this.#run.apply(batch);
    this.#counts.trades += batch.count;
    this.#listener.progress(batch.day, this.#counts.trades);
  }

  advance(instant: EpochNs): void {
    this.#run.advance(instant);
  }

  /** Emits the objects that form at the current position. */
  tellForming(): void {
    this.#study.forming(null, (version, mark) => this.upsert(version, { ...mark }));
  }

  upsert({ id, final, ts, data }: ObjectVersion, cursor: Cursor): void {
    if (!this.#isHeard) return;
    this.#counts.upserts += 1;
    this.#listener.entry({ t: 'upsert', cursor: formatCursor(cursor), id, final, ts, data });
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor): void {
    if (!this.#isHeard) return;
    this.#counts.removes += 1;
    this.#listener.entry({ t: 'remove', cursor: formatCursor(cursor), id, final, ts });
  }

  openSession(): void {}

  flushed(): void {}
}

/** Only days without trading may be missing in [start, to). A damaged day fails when it is read. */
async function refuseMissingDays(request: SettledRequest, start: EpochNs): Promise<void> {
  const { tape, symbol, sessions, fullSessions, from, to } = request;
  const now = await tapeNow(tape, symbol, new DamagedDays());
  const missingOn = missingNow(now);
  const isDamaged = (day: UtcDay) => now.damagedDays.includes(day);
  const isThere = (day: UtcDay) => isDamaged(day) || missingOn(day) !== 'all';
  const unreadable: MissingOn = (day) => (isDamaged(day) ? [] : missingOn(day));
  const missing = missingDays(unreadable, fullSessions, start, to);
  if (missing.length === 0) return;
  let first = sessions.atOrAfter(from);
  while (first !== null && !isThere(dayOf(first.open))) first = sessions.atOrAfter(first.close);
  throw new MissingDaysError(symbol, missing, first !== null && first.open < to ? first : null);
}
