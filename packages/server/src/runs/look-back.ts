/**
 * Where in time a study's past begins: the sessions before a place of the tape that may decide what it says
 * there. A value is taken over from the newest complete session that leaves the study with one; objects that
 * outlive their session come from every session, and are removed by the trades of every session, as far as
 * they are on the tape.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { StudySource } from './run-source.ts';

/**
 * Where a run that carries objects for `sessionsMax` sessions starts so that it is right, and numbers
 * right, from the midnight before the current open on: that many sessions before the first one that
 * reaches into that day, or at the first of the table.
 */
export function carriedFrom(table: SessionTable, current: Session, sessionsMax: number): EpochNs {
  const first = table.atOrAfter(epochNs(dayOf(current.open), 0)) ?? current;
  return sessionsEarlier(table, first, sessionsMax).open;
}

/** The first UTC day whose trades, or whose absence, may decide what the study settles on `day`. */
export function firstDayRead(
  { sessions, indicator, params }: Pick<StudySource, 'sessions' | 'indicator' | 'params'>,
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

/** The session so many before another one, or the first of the table. */
export function sessionsEarlier(table: SessionTable, from: Session, count: number): Session {
  let session = from;
  for (let back = 0; back < count; back += 1) {
    const earlier = sessionBefore(table, session.open);
    if (earlier === null) break;
    session = earlier;
  }
  return session;
}

/** The last session that opens before an instant. */
export function sessionBefore(table: SessionTable, instant: EpochNs): Session | null {
  return table.atOrBefore((instant - 1n) as EpochNs);
}
