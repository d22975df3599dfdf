/**
 * Starts runs whose state and numbering are right from a given instant on: streams, replays, settled days and commands.
 * A run is quiet up to that instant; from there on its output equals that of a run that never stopped. A study starts
 * at the open of the current session, or as many sessions earlier as its look-back needs. One that carries a value over
 * starts at the newest complete session that leaves it with one; earlier data cannot matter (`look-back.ts`).
 */

import type { Session } from '@tapeloom/core/calendar/session';
import { type Cursor, compareCursors } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { flushPhase } from '@tapeloom/core/studies/flush-step';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, earlier } from '@tapeloom/core/utc-day';
import type { TapePlace } from '../tape/tape.ts';
import { carriedFrom, sessionBefore, sessionsEarlier } from './look-back.ts';
import { placeBefore } from './place-before.ts';
import type { RunSource } from './run-source.ts';
import { SettledRun } from './settled-run.ts';
import { TopicRun, type TopicRunSetup } from './topic-run.ts';

/** Trades applied before other work of the thread runs: about a millisecond or two. */
const ROWS_PER_TURN = 32_768;
/** How many sessions earlier than its look-back a run may start; beyond, the reported floor is too high. */
export const SESSIONS_EARLIER_MAX = 8;

/** How a run shares its thread, and how it is cancelled. */
export interface RunPace {
  readonly yieldTurn: () => Promise<void>;
  /** Once it is aborted, everything here rejects with its reason. */
  readonly signal: AbortSignal;
  readonly rowsPerTurn?: number;
}

/** A run over the tape, as its starter sees it. */
export interface TapeRun {
  readonly place: TapePlace;
  readonly warm: boolean;
  /** The batch may be lent: its memory is valid only during the call. */
  take(batch: TradeBatch): void;
  advance(instant: EpochNs): void;
}

/** Creates a run that stands at a session's open, or between sessions. */
export type CreateRun<Run> = (setup: Omit<TopicRunSetup, 'objects' | 'phase'>) => Run;

export interface StreamStart {
  readonly run: TopicRun;
  /**
   * Every update after it is still to come. It is the last update before position(instant) or, if that is too old to be
   * searched for, a later position with no update between.
   */
  readonly floor: Cursor;
}

/** A run at position(instant), and from where its output is right. */
interface Begun {
  readonly run: TopicRun;
  /** Beyond this, no update is missing and the numbering equals that of a run that never stopped. */
  readonly rightAfter: Cursor;
}

/** A run of a stream at position(instant). It can go live there if `instant` is a whole second. */
export async function startRun(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<TopicRun> {
  const { run } = await beginStream(source, instant, pace, isNumberedRight);
  return run;
}

/** Like `startRun`, for a stream that has to name its floor. */
export async function startStream(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<StreamStart> {
  const begun = await beginStream(source, instant, pace, knowsLastUpdate);
  return { run: begun.run, floor: floorOf(begun) };
}

/** A run at position(instant) whose settled updates are right from there on. */
export async function beginSettled(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<SettledRun> {
  return await beginRun(source, instant, pace, (setup) => {
    return new SettledRun(setup.study, setup.sessions, setup.start, setup.isWholeUpTo);
  });
}

/**
 * Like `beginSettled`, for any kind of run. Between sessions the current session is the next one. So a settled run
 * needs nothing of the previous session beyond its own look-back, and its result for a day depends only on the days
 * from `firstDayRead` to that day, wherever it started.
 */
export async function beginRun<Run extends TapeRun>(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
  create: CreateRun<Run>,
): Promise<Run> {
  const session = source.sessions.atOrAfter(instant);
  if (session === null) return await createAt(source, instant, create);
  return await beginIn(source, session, instant, pace, create);
}

/** Brings a run to position(instant); whether its output is used stays as it is. */
export async function readTo(
  { tape, contract, days }: Pick<RunSource, 'tape' | 'contract' | 'days'>,
  run: TapeRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  await days.learn(instant);
  const to = await placeBefore(tape, contract, instant);
  for await (const batch of tape.read(contract, run.place, to, true)) {
    await takeInTurns(run, batch, pace);
  }
  pace.signal.throwIfAborted();
  run.advance(instant);
}

export async function takeInTurns(
  run: Pick<TapeRun, 'take'>,
  batch: TradeBatch,
  pace: RunPace,
): Promise<void> {
  const { rowsPerTurn = ROWS_PER_TURN } = pace;
  for (let row = 0; row < batch.count; row += rowsPerTurn) {
    pace.signal.throwIfAborted();
    run.take(sliceBatch(batch, row, Math.min(row + rowsPerTurn, batch.count)));
    await pace.yieldTurn();
  }
}

/**
 * Starts as late as possible, then earlier until `isEnough` holds or no earlier session exists. While the market is
 * closed, the current session of a stream is the previous one.
 * At its start a run knows the last tape entry, but not how many updates of earlier sessions stand there. So if nothing
 * has happened since, a stream's run starts some sessions earlier. So does a stream that could not name its floor
 * otherwise: the last update before it goes live.
 */
async function beginStream(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
  isEnough: (begun: Begun) => boolean,
): Promise<Begun> {
  const { contract, sessions, indicator, params } = source;
  const phase = flushPhase(contract, indicator, params);
  const create: CreateRun<TopicRun> = (setup) => {
    const objects = new PublishedObjects(indicator.objectsOutliveSession);
    return new TopicRun({ ...setup, objects, phase });
  };
  const current = sessions.atOrBefore(instant);
  if (current === null) {
    // Before the first session there are no updates.
    const run = await createAt(source, instant, create);
    return { run, rightAfter: run.position };
  }
  const begin = async (session: Session): Promise<Begun> => {
    const run = await beginIn(source, session, instant, pace, create);
    return { run, rightAfter: await rightAfter(source, session) };
  };
  let session = current;
  let begun = await begin(session);
  for (let back = 1; back <= SESSIONS_EARLIER_MAX && !isEnough(begun); back *= 2) {
    const earlier = sessionsEarlier(sessions, current, back);
    if (earlier.open === session.open) break;
    session = earlier;
    begun = await begin(session);
  }
  return begun;
}

/** A run at position(instant) that is right from the open of `session` on, or from `instant` if that is earlier. */
async function beginIn<Run extends TapeRun>(
  source: RunSource,
  session: Session,
  instant: EpochNs,
  pace: RunPace,
  create: CreateRun<Run>,
): Promise<Run> {
  const { sessions, indicator, params } = source;
  let run: Run;
  if (indicator.objectsOutliveSession) {
    const from = carriedFrom(sessions, session, indicator.lookBackSessionsMax(params));
    run = await createAt(source, earlier(from, instant), create);
  } else {
    run = await beginWarm(source, earlier(session.open, instant), pace, create);
  }
  await readTo(source, run, instant, pace);
  return run;
}

/** A run at `start` (a session's open, or between sessions) with the past values it needs, if the tape has them. */
async function beginWarm<Run extends TapeRun>(
  source: RunSource,
  start: EpochNs,
  pace: RunPace,
  create: CreateRun<Run>,
): Promise<Run> {
  const { sessions, days, indicator, params } = source;
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (sessionsMax > 0) await days.learn(start);
  let session = sessionBefore(sessions, start);
  for (let back = 1; back <= sessionsMax && session !== null; back += 1) {
    if (days.isComplete(session)) {
      const run = await createAt(source, session.open, create);
      await readTo(source, run, start, pace);
      if (run.warm) return run;
    }
    session = sessionBefore(sessions, session.open);
  }
  return await createAt(source, start, create);
}

async function createAt<Run>(
  { tape, contract, sessions, indicator, params, days }: RunSource,
  at: EpochNs,
  create: CreateRun<Run>,
): Promise<Run> {
  const { rank } = await placeBefore(tape, contract, at);
  const isWholeUpTo = days.isWholeUpTo.bind(days);
  return create({ study: indicator.create(params), sessions, start: { at, rank }, isWholeUpTo });
}

/** From where on the output of a run that started in a session is complete. */
async function rightAfter(
  { tape, contract, indicator }: RunSource,
  { open }: Session,
): Promise<Cursor> {
  if (indicator.objectsOutliveSession) return { day: dayOf(open), rank: 0 as Rank, k: 0 };
  return { ...(await placeBefore(tape, contract, open)), k: Number.MAX_SAFE_INTEGER };
}

function isNumberedRight({ run, rightAfter }: Begun): boolean {
  return compareCursors(run.position, rightAfter) >= 0;
}

function knowsLastUpdate({ run, rightAfter }: Begun): boolean {
  const last = run.lastUpdate;
  return last !== null && compareCursors(last, rightAfter) > 0;
}

function floorOf(begun: Begun): Cursor {
  const { run, rightAfter } = begun;
  if (knowsLastUpdate(begun)) return run.lastUpdate!;
  // There was no update since, so the first position certainly after the last update is right.
  if (rightAfter.k === 0) return rightAfter;
  const midnight = { day: addDays(rightAfter.day, 1), rank: 0 as Rank, k: 0 };
  return compareCursors(midnight, run.position) < 0 ? midnight : run.position;
}
