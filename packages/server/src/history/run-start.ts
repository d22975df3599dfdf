/**
 * Begins a run whose state is right, and whose updates are numbered right, from a given instant on:
 * what a stream that starts now and a replay of the past have in common. The run reads the tape from
 * the open of the session that is current at that instant, earlier where its look-back asks for it, and
 * stands at position(instant). It publishes nothing until it goes live there.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { Tape } from '../tape/tape.ts';
import { placeBefore } from './place-before.ts';
import { TopicRun } from './topic-run.ts';
import { carriedFrom, earlierSessions, withoutIncomplete } from './warm-up-start.ts';

/** Trades applied before other work of the thread gets a turn: about a millisecond or two. */
const ROWS_PER_TURN = 32_768;

/** What a run computes, and over what. */
export interface RunSource {
  readonly tape: Tape;
  readonly contract: string;
  /** The sessions of the kind the study runs over (`Indicator.sessionKind`). */
  readonly sessions: SessionTable;
  readonly indicator: Indicator;
  readonly params: Params;
}

/** How a run shares its thread, and when it is no longer wanted. */
export interface RunPace {
  /** Lets other work of this thread happen. */
  readonly yieldTurn: () => Promise<void>;
  /** Once aborted, everything here rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** A run that stands at position(instant), ready to go live there if `instant` is a whole second. */
export async function startRun(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<TopicRun> {
  const current = source.sessions.atOrBefore(instant);
  const run =
    current === null
      ? await begin(source, source.sessions, instant)
      : await beginAt(source, current, pace);
  await readTo(source, run, instant, pace);
  return run;
}

/** Brings a run to position(instant). */
export async function readTo(
  source: Pick<RunSource, 'tape' | 'contract'>,
  run: TopicRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  const { tape, contract } = source;
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
  for (let row = 0; row < batch.count; row += ROWS_PER_TURN) {
    pace.signal.throwIfAborted();
    run.take(sliceBatch(batch, row, Math.min(row + ROWS_PER_TURN, batch.count)));
    await pace.yieldTurn();
  }
}

/**
 * A run whose state is right from the current session's open on, if that can be had: it stands there
 * with what it needs of the past, or at the open of the first session whose objects may still exist.
 */
async function beginAt(source: RunSource, current: Session, pace: RunPace): Promise<TopicRun> {
  const { tape, contract, sessions, indicator, params } = source;
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (indicator.objectsOutliveSession) {
    return await begin(source, sessions, carriedFrom(sessions, current, sessionsMax));
  }
  const first = await begin(source, sessions, current.open);
  if (first.warm || sessionsMax === 0) return first;
  const days = await tape.days(contract);
  const known = withoutIncomplete(sessions, current, days);
  for (const session of earlierSessions(sessions, current, sessionsMax, days)) {
    const run = await begin(source, known, session.open);
    await readTo(source, run, current.open, pace);
    if (run.warm) return run;
  }
  return first;
}

async function begin(source: RunSource, sessions: SessionTable, at: EpochNs): Promise<TopicRun> {
  const { tape, contract, indicator, params } = source;
  const { rank } = await placeBefore(tape, contract, at);
  const objects = new PublishedObjects(indicator.objectsOutliveSession);
  return new TopicRun(indicator.create(params), objects, sessions, { at, rank });
}
