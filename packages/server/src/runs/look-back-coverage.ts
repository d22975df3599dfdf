/**
 * What a study needs of the tape before a range, as far as that can be told without computing:
 * - All of the session that contains the start of the range, from its open on: its objects are made of all its
 *   trades. A snapshot taken while the market is shut shows the session before, and needs that.
 * - A study that takes a value over from the past needs, for every session of the range, a complete one in its
 *   look-back (determinism 19). Whether that one had any value only its trades can tell.
 * - Objects that are carried are made by whole sessions only (determinism 16). They come from as many as there
 *   are without a gap: nothing of that is needed, but how far it reaches is told.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { sessionBefore } from './look-back.ts';
import { type IsOnTape, isCompleteOn, lastDayBefore } from './tape-days.ts';

export interface LookBackRule {
  /** Of the kind the study runs over. */
  readonly sessions: SessionTable;
  /** How many sessions a value may be old; 0: none is taken over. */
  readonly sessionsMax: number;
}

/** The open of the session that `from` lies in, else `from` itself. */
export function sessionStart(sessions: SessionTable, from: EpochNs): EpochNs {
  const session = sessions.atOrAfter(from);
  return session !== null && session.open < from ? session.open : from;
}

/** The open of the session that a snapshot at `from` shows, or `from` before the first. */
export function snapshotStart(sessions: SessionTable, from: EpochNs): EpochNs {
  return sessions.atOrBefore(from)?.open ?? from;
}

/**
 * From when on the objects carried into `from` are all there: the open of the earliest session of the look-back
 * after which none is missing a day; if there is none, that of the session `from` lies in, else `from` itself.
 */
export function lookBackStart(
  { sessions, sessionsMax }: LookBackRule,
  from: EpochNs,
  isOnTape: IsOnTape,
): EpochNs {
  let start = sessionStart(sessions, from);
  for (let back = 0; back < sessionsMax; back += 1) {
    const earlier = sessionBefore(sessions, start);
    if (earlier === null || !isCompleteOn(earlier, isOnTape)) break;
    start = earlier.open;
  }
  return start;
}

/**
 * The days that are missing in the look-back of sessions which reach into [from, to) and find no complete
 * session there; null when there is no such session. It may be that none can be named: before the first
 * session of the table no day is known to have traded.
 */
export function missingLookBack(
  { sessions, sessionsMax }: LookBackRule,
  from: EpochNs,
  to: EpochNs,
  isOnTape: IsOnTape,
): readonly UtcDay[] | null {
  if (sessionsMax === 0) return null;
  const missing = new Set<UtcDay>();
  let isCold = false;
  let session = sessions.atOrAfter(from);
  let age = session === null ? 0 : ageOfComplete(sessions, session, sessionsMax, isOnTape);
  while (session !== null && session.open < to) {
    if (age > sessionsMax) {
      isCold = true;
      for (const day of daysBefore(sessions, session, sessionsMax)) {
        if (!isOnTape(day)) missing.add(day);
      }
    }
    age = isCompleteOn(session, isOnTape) ? 1 : age + 1;
    session = sessions.atOrAfter(session.close);
  }
  return isCold ? [...missing].sort((a, b) => a - b) : null;
}

/** How many sessions before this one the newest complete one is, more than `sessionsMax` if it is older. */
function ageOfComplete(
  sessions: SessionTable,
  session: Session,
  sessionsMax: number,
  isOnTape: IsOnTape,
): number {
  let earlier = sessionBefore(sessions, session.open);
  for (let age = 1; age <= sessionsMax && earlier !== null; age += 1) {
    if (isCompleteOn(earlier, isOnTape)) return age;
    earlier = sessionBefore(sessions, earlier.open);
  }
  return sessionsMax + 1;
}

/** The days of the sessions right before one. */
function* daysBefore(sessions: SessionTable, session: Session, count: number): Generator<UtcDay> {
  let earlier = sessionBefore(sessions, session.open);
  for (let back = 0; back < count && earlier !== null; back += 1) {
    const last = lastDayBefore(earlier.close);
    for (let day = dayOf(earlier.open); day <= last; day = addDays(day, 1)) yield day;
    earlier = sessionBefore(sessions, earlier.open);
  }
}
