/**
 * Where a study has to start so that its state is right: at the open of the current session (the last
 * one while the market is shut), or as many sessions earlier as its look-back needs. For a study that
 * takes a value from the past, sessions that are not complete on the tape do not exist: what they would
 * give is not known. Objects that outlive their session come from every session, and are removed by
 * the trades of every session, as far as they are on the tape.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { TapeDay } from '../tape/tape.ts';

/** The complete sessions before `current`, newest first, at most `sessionsMax` sessions back. */
export function earlierSessions(
  table: SessionTable,
  current: Session,
  sessionsMax: number,
  days: readonly TapeDay[],
): readonly Session[] {
  const earlier: Session[] = [];
  let session = before(table, current);
  for (let back = 1; back <= sessionsMax && session !== null; back += 1) {
    if (isComplete(session, days)) earlier.push(session);
    session = before(table, session);
  }
  return earlier;
}

/** The sessions right before `current`, newest first, as long as each is complete on the tape. */
export function unbrokenSessions(
  table: SessionTable,
  current: Session,
  sessionsMax: number,
  days: readonly TapeDay[],
): readonly Session[] {
  const unbroken: Session[] = [];
  let session = before(table, current);
  while (session !== null && unbroken.length < sessionsMax && isComplete(session, days)) {
    unbroken.push(session);
    session = before(table, session);
  }
  return unbroken;
}

/**
 * Where a run that carries objects for `sessions` sessions starts so that it is right, and numbers
 * right, from the midnight before the current open on: that many sessions before the first one that
 * reaches into that day, or at the first of the table.
 */
export function carriedFrom(table: SessionTable, current: Session, sessions: number): EpochNs {
  let first = table.atOrAfter(epochNs(dayOf(current.open), 0)) ?? current;
  for (let back = 0; back < sessions; back += 1) {
    const earlier = before(table, first);
    if (earlier === null) break;
    first = earlier;
  }
  return first.open;
}

/** The same table without the sessions before `current` that are not complete on the tape. */
export function withoutIncomplete(
  table: SessionTable,
  current: Session,
  days: readonly TapeDay[],
): SessionTable {
  const counts = (session: Session) => session.open >= current.open || isComplete(session, days);
  return {
    atOrAfter(instant) {
      let session = table.atOrAfter(instant);
      while (session !== null && !counts(session)) session = table.atOrAfter(session.close);
      return session;
    },
    atOrBefore(instant) {
      let session = table.atOrBefore(instant);
      while (session !== null && !counts(session)) session = before(table, session);
      return session;
    },
  };
}

function before(table: SessionTable, session: Session): Session | null {
  return table.atOrBefore((session.open - 1n) as EpochNs);
}

/** Days are on the tape whole, so a past session is complete when all of its days are there. */
function isComplete(session: Session, days: readonly TapeDay[]): boolean {
  const last = dayOf((session.close - 1n) as EpochNs);
  for (let day: UtcDay = dayOf(session.open); day <= last; day = addDays(day, 1)) {
    if (!days.some((onTape) => onTape.day === day)) return false;
  }
  return true;
}
