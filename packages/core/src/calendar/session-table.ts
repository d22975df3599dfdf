/** Finds sessions around an instant by bisection, in memory only: no calendar, clock or Temporal. */

import type { UtcDay } from '../numbers.ts';
import { addDays, epochNs } from '../utc-day.ts';
import type { Session, SessionTable } from './session.ts';

/** A table of sessions. Throws a RangeError if they are not disjoint and ascending. */
export function createSessionTable(sessions: readonly Session[]): SessionTable {
  sessions.forEach((session, index) => {
    const before = sessions[index - 1];
    if (session.open >= session.close || (before !== undefined && before.close > session.open)) {
      throw new RangeError(`sessions are not disjoint and ascending at ${session.date}`);
    }
  });
  return {
    atOrAfter: (instant) =>
      sessions[count(sessions, (session) => session.close <= instant)] ?? null,
    atOrBefore: (instant) =>
      sessions[count(sessions, (session) => session.open <= instant) - 1] ?? null,
  };
}

/** Whether the market is open at some time of this UTC day; `full` is the table of trading days. */
export function tradesOnUtcDay(full: SessionTable, day: UtcDay): boolean {
  const session = full.atOrAfter(epochNs(day, 0));
  return session !== null && session.open < epochNs(addDays(day, 1), 0);
}

/** How many sessions from the start satisfy `is`. They must all precede those that do not. */
function count(sessions: readonly Session[], is: (session: Session) => boolean): number {
  let low = 0;
  let high = sessions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (is(sessions[middle] as Session)) low = middle + 1;
    else high = middle;
  }
  return low;
}
