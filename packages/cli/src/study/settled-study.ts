/**
 * Runs one study in settled speed over sealed days: the part of its log in (position(from),
 * position(to)], which is what a stream settled in that time and what history gives. Adjoining ranges
 * add up. The run starts at the open of the session `from` lies in, or as many sessions earlier as the
 * study's look-back needs, so the state at `from` is right; a day it needs and cannot have is an error.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import { tradesOnUtcDay } from '@tapeloom/core/calendar/session-table';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { type RunOutput, StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { placeBefore } from '@tapeloom/server/runs/place-before';
import { lastDayBefore, TapeDays } from '@tapeloom/server/runs/tape-days';
import { beginWarm, carriedFrom } from '@tapeloom/server/runs/warm-up-start';
import type { Tape, TapePlace } from '@tapeloom/server/tape/tape';
import type { RemoveEntry, UpsertEntry } from '../entries/entry.ts';

export interface SettledRequest {
  readonly indicator: Indicator;
  readonly params: Params;
  readonly symbol: string;
  readonly tape: Tape;
  /** The sessions of the kind the study runs over, and the trading days of the exchange. */
  readonly sessions: SessionTable;
  readonly fullSessions: SessionTable;
  readonly from: EpochNs;
  readonly to: EpochNs;
  /** Whether to end with the objects that still form at `to`. */
  readonly hasTail: boolean;
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
  /** False when the look-back could not be had: the study may then lack objects. */
  readonly warm: boolean;
}

/** Days that a run needs are not on the tape. */
export class MissingDaysError extends Error {
  readonly days: readonly UtcDay[];
  /** The first session from which a run could start; null when there is none. */
  readonly firstSession: Session | null;

  constructor(symbol: string, days: readonly UtcDay[], firstSession: Session | null) {
    super(`${symbol} lacks ${days.length} sealed days of this range`);
    this.days = days;
    this.firstSession = firstSession;
  }
}

export async function runSettled(
  request: SettledRequest,
  listener: SettledListener,
  signal: AbortSignal,
): Promise<SettledResult> {
  const { from, to, sessions } = request;
  const current = sessions.atOrAfter(from);
  const start = current !== null && current.open < from ? current.open : from;
  await refuseMissingDays(request, start);
  const log = new LogOutput(listener);
  const reader = new Reader(request, log, listener, signal);
  const walk = await reader.begin(current, start);
  await reader.readTo(walk, from);
  log.isHeard = true;
  await reader.readTo(walk, to);
  if (request.hasTail) {
    walk.study.forming(null, (version, mark) => log.upsert(version, { ...mark }));
  }
  const { upserts, removes } = log;
  return { trades: reader.trades, upserts, removes, warm: walk.warm };
}

class Walk {
  readonly study: Study;
  readonly run: StudyRun;
  place: TapePlace;

  constructor(study: Study, run: StudyRun, place: TapePlace) {
    this.study = study;
    this.run = run;
    this.place = place;
  }

  get warm(): boolean {
    return this.study.warm;
  }
}

class Reader {
  readonly #request: SettledRequest;
  readonly #days: TapeDays;
  readonly #output: RunOutput;
  readonly #listener: SettledListener;
  readonly #signal: AbortSignal;
  trades = 0;

  constructor(
    request: SettledRequest,
    output: RunOutput,
    listener: SettledListener,
    signal: AbortSignal,
  ) {
    this.#request = request;
    this.#days = new TapeDays(request.tape, request.symbol);
    this.#output = output;
    this.#listener = listener;
    this.#signal = signal;
  }

  /**
   * As the engine starts a topic: at `start`, or so many sessions before the one that is open there, or
   * opens next, as its look-back needs.
   */
  async begin(current: Session | null, start: EpochNs): Promise<Walk> {
    const { sessions, indicator, params } = this.#request;
    if (current === null) return await this.#beginAt(start);
    if (indicator.objectsOutliveSession) {
      const sessionsMax = indicator.lookBackSessionsMax(params);
      return await this.#beginAt(carriedFrom(sessions, current, sessionsMax));
    }
    return await beginWarm({ sessions, days: this.#days, indicator, params }, start, {
      begin: (at) => this.#beginAt(at),
      readTo: (walk, instant) => this.readTo(walk, instant),
    });
  }

  async #beginAt(at: EpochNs): Promise<Walk> {
    const { tape, symbol, sessions, indicator, params } = this.#request;
    const place = await placeBefore(tape, symbol, at);
    const study = indicator.create(params);
    const run = new StudyRun(
      study,
      sessions,
      { at, rank: place.rank },
      { output: this.#output, isWholeUpTo: this.#days.isWholeUpTo.bind(this.#days) },
    );
    return new Walk(study, run, place);
  }

  async readTo(walk: Walk, instant: EpochNs): Promise<void> {
    const { tape, symbol } = this.#request;
    await this.#days.learn(lastDayBefore(instant));
    const to = await placeBefore(tape, symbol, instant);
    for await (const batch of tape.read(symbol, walk.place, to)) {
      this.#signal.throwIfAborted();
      walk.run.apply(batch);
      this.trades += batch.count;
      this.#listener.progress(batch.day, this.trades);
    }
    walk.run.advance(instant);
    walk.place = to;
  }
}

/** Passes on what the run settles once it is heard. */
class LogOutput implements RunOutput {
  readonly #listener: SettledListener;
  isHeard = false;
  upserts = 0;
  removes = 0;

  constructor(listener: SettledListener) {
    this.#listener = listener;
  }

  upsert({ id, final, ts, data }: ObjectVersion, cursor: Cursor): void {
    if (!this.isHeard) return;
    this.upserts += 1;
    this.#listener.entry({ t: 'upsert', cursor: formatCursor(cursor), id, final, ts, data });
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor): void {
    if (!this.isHeard) return;
    this.removes += 1;
    this.#listener.entry({ t: 'remove', cursor: formatCursor(cursor), id, final, ts });
  }

  openSession(): void {}

  flushed(): void {}
}

/** Days without trading may be missing; all others of [start, to) must be there. */
async function refuseMissingDays(request: SettledRequest, start: EpochNs): Promise<void> {
  const { tape, symbol, sessions, fullSessions, from, to } = request;
  const days = new Set((await tape.days(symbol)).map(({ day }) => day));
  const last = dayOf((to - 1n) as EpochNs);
  const missing: UtcDay[] = [];
  for (let day = dayOf(start); day <= last; day = addDays(day, 1)) {
    if (!days.has(day) && tradesOnUtcDay(fullSessions, day)) missing.push(day);
  }
  if (missing.length === 0) return;
  let first = sessions.atOrAfter(from);
  while (first !== null && !days.has(dayOf(first.open))) first = sessions.atOrAfter(first.close);
  throw new MissingDaysError(symbol, missing, first !== null && first.open < to ? first : null);
}
