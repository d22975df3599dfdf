/** What a study needs of the tape before a position, as far as that is known without computing. */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { isCompleteOn, isMissingIn, lastDayBefore, type MissingOn } from './missing-times.ts';
import type { StudySource } from './run-source.ts';

/**
 * - The whole session that contains the position is needed, from its open: its objects depend on all its trades. While
 *   the market is closed, a snapshot shows the previous session and needs that one.
 * - A study that carries a value over takes it from the newest complete session that leaves it with one, and needs one
 *   in its look-back for every session (rule DET-19). Only its trades show whether a session left a value.
 * - Objects that outlive their session come from all sessions on the tape, and trades of all of them remove objects.
 *   Only whole sessions make them (rule DET-16), as many as there are without a gap. None of this is required, but
 *   the reach is reported.
 */
export interface LookBackRule {
  readonly sessions: SessionTable;
  /** For how many sessions a value may be carried over; 0: none is. */
  readonly sessionsMax: number;
}

/**
 * Where a run that carries objects for `sessionsMax` sessions starts, so that its state and numbering are right from
 * the midnight before the current open: that many sessions before the first one that reaches into that day, or at the
 * first of the table.
 */
export function carriedFrom(table: SessionTable, current: Session, sessionsMax: number): EpochNs {
  const first = table.atOrAfter(epochNs(dayOf(current.open), 0)) ?? current;
  return sessionsEarlier(table, first, sessionsMax).open;
}

/** The first UTC day whose trades, or absence, may affect what the study settles on `day`. */
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

/** The session `count` sessions before another one, or the first of the table. */
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

/** The open of the session that contains `from`, else `from` itself. */
export function sessionStart(sessions: SessionTable, from: EpochNs): EpochNs {
  const session = sessions.atOrAfter(from);
  return session !== null && session.open < from ? session.open : from;
}

/** The open of the session that a snapshot at `from` shows, or `from` before the first. */
export function snapshotStart(sessions: SessionTable, from: EpochNs): EpochNs {
  return sessions.atOrBefore(from)?.open ?? from;
}

/**
 * From when the objects carried into `from` are complete: the open of the earliest session of the look-back after which
 * no session misses anything; without one, the open of the session that contains `from`, else `from` itself.
 */
export function lookBackStart(
  { sessions, sessionsMax }: LookBackRule,
  from: EpochNs,
  missingOn: MissingOn,
): EpochNs {
  let start = sessionStart(sessions, from);
  for (let back = 0; back < sessionsMax; back += 1) {
    const earlier = sessionBefore(sessions, start);
    if (earlier === null || !isCompleteOn(earlier, missingOn)) break;
    start = earlier.open;
  }
  return start;
}

/**
 * The missing days in the look-back of sessions that reach into [from, to) and find no complete session there; null
 * without such a session. The list may be empty: before the first session of the table no day is known to have traded.
 */
export function missingLookBack(
  { sessions, sessionsMax }: LookBackRule,
  from: EpochNs,
  to: EpochNs,
  missingOn: MissingOn,
): readonly UtcDay[] | null {
  if (sessionsMax === 0) return null;
  const missing = new Set<UtcDay>();
  let isCold = false;
  let session = sessions.atOrAfter(from);
  let age = session === null ? 0 : ageOfComplete(sessions, session, sessionsMax, missingOn);
  while (session !== null && session.open < to) {
    if (age > sessionsMax) {
      isCold = true;
      for (const [day, { open, close }] of daysBefore(sessions, session, sessionsMax)) {
        if (isMissingIn(missingOn, day, open, close)) missing.add(day);
      }
    }
    age = isCompleteOn(session, missingOn) ? 1 : age + 1;
    session = sessions.atOrAfter(session.close);
  }
  return isCold ? [...missing].sort((a, b) => a - b) : null;
}

/** How many sessions back the newest complete one is; more than `sessionsMax` if it is older. */
function ageOfComplete(
  sessions: SessionTable,
  session: Session,
  sessionsMax: number,
  missingOn: MissingOn,
): number {
  let earlier = sessionBefore(sessions, session.open);
  for (let age = 1; age <= sessionsMax && earlier !== null; age += 1) {
    if (isCompleteOn(earlier, missingOn)) return age;
    earlier = sessionBefore(sessions, earlier.open);
  }
  return sessionsMax + 1;
}

function* daysBefore(
  sessions: SessionTable,
  session: Session,
  count: number,
): Generator<readonly [UtcDay, Session]> {
  let earlier = sessionBefore(sessions, session.open);
  for (let back = 0; back < count && earlier !== null; back += 1) {
    const last = lastDayBefore(earlier.close);
    for (let day = dayOf(earlier.open); day <= last; day = addDays(day, 1)) yield [day, earlier];
    earlier = sessionBefore(sessions, earlier.open);
  }
}
