/**
 * Begins settled runs that are right, and numbered right, from a day's midnight on: like the runs of a
 * stream (`run-start.ts`), at the open of the session that is open there or opens next, earlier where
 * the look-back asks for it. What a run gives for a day therefore depends on nothing but the days from
 * `firstDayRead` to that day, wherever it began.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { placeBefore } from './place-before.ts';
import { type RunPace, type RunSource, takeInTurns } from './run-start.ts';
import { SettledRun } from './settled-run.ts';
import { lastDayBefore } from './tape-days.ts';
import { beginWarm, carriedFrom, sessionsEarlier } from './warm-up-start.ts';

/** A run at position(instant). */
export async function beginSettled(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<SettledRun> {
  const { sessions, indicator, params } = source;
  const session = sessions.atOrAfter(instant);
  if (session === null) return await begin(source, instant);
  let run: SettledRun;
  if (indicator.objectsOutliveSession) {
    const from = carriedFrom(sessions, session, indicator.lookBackSessionsMax(params));
    run = await begin(source, earlier(from, instant));
  } else {
    run = await beginWarm(source, earlier(session.open, instant), {
      begin: (at) => begin(source, at),
      readTo: (one, to) => readTo(source, one, to, pace),
    });
  }
  await readTo(source, run, instant, pace);
  return run;
}

/** Brings a run to position(instant), quietly or heard as it is. */
export async function readTo(
  source: Pick<RunSource, 'tape' | 'contract' | 'days'>,
  run: SettledRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  const { tape, contract, days } = source;
  await days.learn(lastDayBefore(instant));
  const to = await placeBefore(tape, contract, instant);
  for await (const batch of tape.read(contract, run.place, to, true)) {
    await takeInTurns(run, batch, pace);
  }
  pace.signal.throwIfAborted();
  run.advance(instant);
}

/** The first UTC day whose trades, or whose absence, may decide what the study gives on `day`. */
export function firstDayRead(
  { sessions, indicator, params }: Pick<RunSource, 'sessions' | 'indicator' | 'params'>,
  day: UtcDay,
): UtcDay {
  const session = sessions.atOrAfter(epochNs(day, 0));
  if (session === null) return day;
  const sessionsMax = indicator.lookBackSessionsMax(params);
  const from = indicator.objectsOutliveSession
    ? carriedFrom(sessions, session, sessionsMax)
    : sessionsEarlier(sessions, session, sessionsMax).open;
  const first = dayOf(from);
  return first < day ? first : day;
}

async function begin(source: RunSource, at: EpochNs): Promise<SettledRun> {
  const { tape, contract, sessions, indicator, params, days } = source;
  const { rank } = await placeBefore(tape, contract, at);
  const isWholeUpTo = days.isWholeUpTo.bind(days);
  return new SettledRun(indicator.create(params), sessions, { at, rank }, isWholeUpTo);
}

function earlier(one: EpochNs, other: EpochNs): EpochNs {
  return one < other ? one : other;
}
