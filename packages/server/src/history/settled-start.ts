/**
 * Begins settled runs that are right, and numbered right, from a day's midnight on: like the runs of a
 * stream (`run-start.ts`), at the open of the session that is open there or opens next, earlier where
 * the look-back asks for it. What a run gives for a day therefore depends on nothing but the days from
 * `firstDayRead` to that day, wherever it began.
 *
 * A study that takes a value from the past knows complete sessions only. A run that passes through an
 * incomplete one, or was begun across one, would know more or count otherwise: it is right until the next
 * session opens, and there a new one has to be begun (`rightUntil`).
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { TapeDay } from '../tape/tape.ts';
import { placeBefore } from './place-before.ts';
import { type RunPace, type RunSource, takeInTurns } from './run-start.ts';
import { SettledRun } from './settled-run.ts';
import { carriedFrom, earlierSessions, withoutIncomplete } from './warm-up-start.ts';

export interface BegunRun {
  readonly run: SettledRun;
  /** The open of the session at which another run has to take over; null when none does. */
  readonly rightUntil: EpochNs | null;
}

/** A run at position(instant), or at the open of the session that comes next after it. */
export async function beginSettled(
  source: RunSource,
  instant: EpochNs,
  pace: RunPace,
): Promise<BegunRun> {
  const { tape, contract, sessions, indicator, params } = source;
  const session = sessions.atOrAfter(instant);
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (session === null) return { run: await begin(source, sessions, instant), rightUntil: null };
  if (indicator.objectsOutliveSession) {
    const run = await begin(source, sessions, carriedFrom(sessions, session, sessionsMax));
    await readTo(source, run, instant, pace);
    return { run, rightUntil: null };
  }
  const start = session.open < instant ? session.open : instant;
  const first = await begin(source, sessions, start);
  if (sessionsMax === 0 || first.warm) {
    await readTo(source, first, instant, pace);
    return { run: first, rightUntil: null };
  }
  const days = await tape.days(contract);
  const known = withoutIncomplete(sessions, session, days);
  for (const earlier of earlierSessions(sessions, session, sessionsMax, days)) {
    const run = await begin(source, known, earlier.open);
    await readTo(source, run, session.open, pace);
    if (!run.warm) continue;
    await readTo(source, run, instant, pace);
    return { run, rightUntil: rightUntil(sessions, earlier, session, days) };
  }
  await readTo(source, first, instant, pace);
  return { run: first, rightUntil: rightUntil(sessions, session, session, days) };
}

/** Brings a run to position(instant) if it is not there or beyond, quietly or heard as it is. */
export async function readTo(
  source: Pick<RunSource, 'tape' | 'contract'>,
  run: SettledRun,
  instant: EpochNs,
  pace: RunPace,
): Promise<void> {
  const { tape, contract } = source;
  const to = await placeBefore(tape, contract, instant);
  for await (const batch of tape.read(contract, run.place, to, true)) {
    await takeInTurns(run, batch, pace);
  }
  pace.signal.throwIfAborted();
  run.advance(instant);
}

/** The first UTC day whose trades may decide what the study gives on `day`. */
export function firstDayRead(
  { sessions, indicator, params }: Pick<RunSource, 'sessions' | 'indicator' | 'params'>,
  day: UtcDay,
): UtcDay {
  const midnight = epochNs(day, 0);
  const session = sessions.atOrAfter(midnight);
  if (session === null) return day;
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (indicator.objectsOutliveSession) {
    return earlierDay(day, carriedFrom(sessions, session, sessionsMax));
  }
  let first = session;
  for (let back = 0; back < sessionsMax; back += 1) {
    first = sessions.atOrBefore((first.open - 1n) as EpochNs) ?? first;
  }
  return earlierDay(day, first.open);
}

function earlierDay(day: UtcDay, instant: EpochNs): UtcDay {
  const other = dayOf(instant);
  return other < day ? other : day;
}

/** The open after `current`, when a session from `first` on to `current` is not complete on the tape. */
function rightUntil(
  sessions: SessionTable,
  first: Session,
  current: Session,
  days: readonly TapeDay[],
): EpochNs | null {
  const next = sessions.atOrAfter(current.close);
  if (next === null) return null;
  let count = 1;
  for (let at = current; at.open > first.open; count += 1) {
    at = sessions.atOrBefore((at.open - 1n) as EpochNs)!;
  }
  return earlierSessions(sessions, next, count, days).length < count ? next.open : null;
}

async function begin(source: RunSource, sessions: SessionTable, at: EpochNs): Promise<SettledRun> {
  const { tape, contract, indicator, params } = source;
  const { rank } = await placeBefore(tape, contract, at);
  return new SettledRun(indicator.create(params), sessions, { at, rank });
}
