/**
 * Begins runs whose state is right, and whose updates are numbered right, from a given instant on, whoever
 * hears them: streams, replays, settled days and commands. A run is quiet until it is heard at that
 * instant, and says from there on what one says that never ended.
 *
 * A study has to start at the open of the current session, or as many sessions earlier as its look-back
 * needs. One that takes a value over from the past starts at the newest complete session that leaves it
 * with one: what came before can make no difference any more (`look-back.ts`).
 *
 * Which session is the current one depends on what is heard. What a stream shows while the market is shut
 * is the session before. What is settled from there on belongs to the next one, so a settled run needs
 * nothing of the one before but its look-back: what it gives for a day depends on nothing but the days from
 * `firstDayRead` to that day, wherever it began.
 *
 * At its start a run knows which tape entry came last, but not how many updates of earlier sessions
 * stand there. So where nothing has happened since, a stream's run starts some sessions earlier; and so
 * does a stream that could not tell its floor otherwise, the last update before it goes live.
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
import { lastDayBefore } from './tape-days.ts';
import { TopicRun, type TopicRunSetup } from './topic-run.ts';

/** Trades applied before other work of the thread gets a turn: about a millisecond or two. */
const ROWS_PER_TURN = 32_768;
/** How far a run is started earlier than its look-back asks for; beyond, a floor is told too high. */
export const SESSIONS_EARLIER_MAX = 8;

/** How a run shares its thread, and when it is no longer wanted. */
export interface RunPace {
  /** Lets other work of this thread happen. */
  readonly yieldTurn: () => Promise<void>;
  /** Once aborted, everything here rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Trades applied in one turn. */
  readonly rowsPerTurn?: number;
}

/** A study on its way over the tape, as its starter sees it. */
export interface TapeRun {
  /** The last tape entry it has passed. */
  readonly place: TapePlace;
  readonly warm: boolean;
  /** The batch may be lent: its memory is good only during the call. */
  take(batch: TradeBatch): void;
  advance(instant: EpochNs): void;
}

/** Makes a run that stands at a session's open, or between sessions. */
export type CreateRun<Run> = (setup: Omit<TopicRunSetup, 'objects' | 'phase'>) => Run;

export interface StreamStart {
  readonly run: TopicRun;
  /**
   * Every update after it is still to come: the last update before position(instant), or, where that
   * is too long ago to be looked for, a position after it with nothing between.
   */
  readonly floor: Cursor;
}

/** A run that stands at position(instant), and what it can be trusted with. */
interface Begun {
  readonly run: TopicRun;
  /** Updates beyond this are all there, and numbered as a run numbers them that never ended. */
  readonly rightAfter: Cursor;
}

/** A run of a stream at position(instant), ready to go live there if `instant` is a whole second. */
export async function startRun(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<TopicRun> {
  const { run } = await beginStream(source, instant, pace, isNumberedRight);
  return run;
}

/** The same for a stream, which has to tell where it begins. */
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

/** The same of any kind. */
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

/** Brings a run to position(instant), quietly or heard as it is. */
export async function readTo(
  { tape, contract, days }: Pick<RunSource, 'tape' | 'contract' | 'days'>,
  run: TapeRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  await days.learn(lastDayBefore(instant));
  const to = await placeBefore(tape, contract, instant);
  for await (const batch of tape.read(contract, run.place, to, true)) {
    await takeInTurns(run, batch, pace);
  }
  pace.signal.throwIfAborted();
  run.advance(instant);
}

/** Applies a batch without holding up the thread. */
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

/** Begins as late as will do, then earlier and earlier until the run knows enough or no more can be had. */
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
    // Before the first session nothing has been said.
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

/** A run at position(instant) that is right from the open of `session` on, or from there on if that comes later. */
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

/** A run at `start`, a session's open or between sessions, with what it needs of the past if that can be had. */
async function beginWarm<Run extends TapeRun>(
  source: RunSource,
  start: EpochNs,
  pace: RunPace,
  create: CreateRun<Run>,
): Promise<Run> {
  const { sessions, days, indicator, params } = source;
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (sessionsMax > 0) await days.learn(lastDayBefore(start));
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

/** From where on a run that began in a session says everything. */
async function rightAfter(
  { tape, contract, indicator }: RunSource,
  { open }: Session,
): Promise<Cursor> {
  if (indicator.objectsOutliveSession) return { day: dayOf(open), rank: 0 as Rank, k: 0 };
  return { ...(await placeBefore(tape, contract, open)), k: Number.MAX_SAFE_INTEGER };
}

/** Whether the position the run stands at is numbered right. */
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
  // There was no update since, so the first place that is surely after the last one will do.
  if (rightAfter.k === 0) return rightAfter;
  const midnight = { day: addDays(rightAfter.day, 1), rank: 0 as Rank, k: 0 };
  return compareCursors(midnight, run.position) < 0 ? midnight : run.position;
}
