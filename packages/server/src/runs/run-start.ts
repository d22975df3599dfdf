/**
 * Begins a run whose state is right, and whose updates are numbered right, from a given instant on:
 * what a stream that starts now and a replay of the past have in common. The run reads the tape from
 * the open of the session that is current at that instant, earlier where its look-back asks for it, and
 * stands at position(instant). It publishes nothing until it goes live there.
 *
 * At its start a run knows which tape entry came last, but not how many updates of earlier sessions
 * stand there. So where nothing has happened since, it starts some sessions earlier; and so does a
 * stream that could not tell its floor otherwise, the last update before it goes live.
 */

import type { Session } from '@tapeloom/core/calendar/session';
import { type Cursor, compareCursors } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { Tape } from '../tape/tape.ts';
import { placeBefore } from './place-before.ts';
import { lastDayBefore } from './tape-days.ts';
import { TopicRun } from './topic-run.ts';
import { beginWarm, carriedFrom, type LookBack, sessionsEarlier } from './warm-up-start.ts';

/** Trades applied before other work of the thread gets a turn: about a millisecond or two. */
const ROWS_PER_TURN = 32_768;
/** How far a run is started earlier than its look-back asks for; beyond, a floor is told too high. */
const SESSIONS_EARLIER_MAX = 8;

/** What a run computes, and over what. */
export interface RunSource extends LookBack {
  readonly tape: Tape;
  readonly contract: string;
}

/** How a run shares its thread, and when it is no longer wanted. */
export interface RunPace {
  /** Lets other work of this thread happen. */
  readonly yieldTurn: () => Promise<void>;
  /** Once aborted, everything here rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Trades applied in one turn. */
  readonly rowsPerTurn?: number;
}

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

/** A run that stands at position(instant), ready to go live there if `instant` is a whole second. */
export async function startRun(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<TopicRun> {
  const { run } = await begin(source, instant, pace, isNumberedRight);
  return run;
}

/** The same for a stream, which has to tell where it begins. */
export async function startStream(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<StreamStart> {
  const begun = await begin(source, instant, pace, knowsLastUpdate);
  return { run: begun.run, floor: floorOf(begun) };
}

/** Brings a run to position(instant). */
export async function readTo(
  source: Pick<RunSource, 'tape' | 'contract' | 'days'>,
  run: TopicRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  const { tape, contract, days } = source;
  await days.learn(lastDayBefore(instant));
  const to = await placeBefore(tape, contract, instant);
  for await (const batch of tape.read(contract, run.place, to)) {
    await takeInTurns(run, batch, pace);
  }
  pace.signal.throwIfAborted();
  run.advance(instant);
}

/** Applies a batch without holding up the thread. */
export async function takeInTurns(
  run: Pick<TopicRun, 'take'>,
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
async function begin(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
  isEnough: (begun: Begun) => boolean,
): Promise<Begun> {
  const { sessions } = source;
  const current = sessions.atOrBefore(instant);
  if (current === null) return await beginBetween(source, instant);
  let session = current;
  let begun = await beginIn(source, session, instant, pace);
  for (let back = 1; back <= SESSIONS_EARLIER_MAX && !isEnough(begun); back *= 2) {
    const earlier = sessionsEarlier(sessions, current, back);
    if (earlier.open === session.open) break;
    session = earlier;
    begun = await beginIn(source, session, instant, pace);
  }
  return begun;
}

/** Before the first session nothing has been said. */
async function beginBetween(source: RunSource, instant: EpochNs): Promise<Begun> {
  const run = await createRun(source, instant);
  return { run, rightAfter: run.position };
}

/** A run that is right from the open of `session` on, at position(instant). */
async function beginIn(
  source: RunSource,
  session: Session,
  instant: EpochNs,
  pace: RunPace,
): Promise<Begun> {
  const { sessions, indicator, params } = source;
  let run: TopicRun;
  let rightAfter: Cursor;
  if (indicator.objectsOutliveSession) {
    const sessionsMax = indicator.lookBackSessionsMax(params);
    run = await createRun(source, carriedFrom(sessions, session, sessionsMax));
    rightAfter = { day: dayOf(session.open), rank: 0 as Rank, k: 0 };
  } else {
    run = await beginWarm(source, session.open, {
      begin: (at) => createRun(source, at),
      readTo: (one, to) => readTo(source, one, to, pace),
    });
    const { day, rank } = await placeBefore(source.tape, source.contract, session.open);
    rightAfter = { day, rank, k: Number.MAX_SAFE_INTEGER };
  }
  await readTo(source, run, instant, pace);
  return { run, rightAfter };
}

async function createRun(source: RunSource, at: EpochNs): Promise<TopicRun> {
  const { tape, contract, sessions, indicator, params, days } = source;
  const { rank } = await placeBefore(tape, contract, at);
  return new TopicRun({
    study: indicator.create(params),
    objects: new PublishedObjects(indicator.objectsOutliveSession),
    sessions,
    start: { at, rank },
    isWholeUpTo: days.isWholeUpTo.bind(days),
  });
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
