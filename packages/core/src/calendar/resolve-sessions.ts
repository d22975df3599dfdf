/**
 * Turns a calendar into sessions: at most one of each kind per trading date, disjoint and ascending.
 * This asks Temporal for every edge and is therefore done ahead, for the session book; nothing on the
 * way of a trade calls it.
 *
 * A session's date is the local date on which it closes. On a holiday this is the holiday itself, where
 * the exchange's clearing already writes the next business day: so every session keeps a date of its own.
 */

import type { UtcDay } from '../numbers.ts';
import { addDays, epochNs, isoWeekday } from '../utc-day.ts';
import type { Calendar, SessionHours, SpecialHours } from './calendar.ts';
import type { Session, SessionKind } from './session.ts';
import { createSessionTable, tradesOnUtcDay } from './session-table.ts';
import { usHolidayOn } from './us-holidays.ts';
import { zonedInstant } from './zoned-instant.ts';

const FRIDAY = 5;

/** The sessions whose trading date lies in [fromDate, toDate], ascending. */
export function resolveSessions(
  calendar: Calendar,
  kind: SessionKind,
  fromDate: UtcDay,
  toDate: UtcDay,
): Session[] {
  switch (kind) {
    case 'full':
      return eachDate(fromDate, toDate, (date) => fullSession(calendar, date));
    case 'rth':
      return eachDate(fromDate, toDate, (date) => regularSession(calendar, date));
    case 'utc':
      return utcSessions(calendar, fromDate, toDate);
    default:
      return kind satisfies never;
  }
}

function eachDate(
  fromDate: UtcDay,
  toDate: UtcDay,
  resolve: (date: UtcDay) => Session | null,
): Session[] {
  const sessions: Session[] = [];
  for (let date = fromDate; date <= toDate; date = addDays(date, 1)) {
    const session = resolve(date);
    if (session !== null) sessions.push(session);
  }
  return sessions;
}

function fullSession(calendar: Calendar, date: UtcDay): Session | null {
  if (!calendar.weekdays.includes(isoWeekday(date))) return null;
  const close = specialOn(calendar, date)?.close ?? 'normal';
  if (close === 'closed') return null;
  return normalSession(close === 'normal' ? calendar.full : { ...calendar.full, close }, date);
}

/** Regular hours lie inside the trading day: they are cut where it ends early. */
function regularSession(calendar: Calendar, date: UtcDay): Session | null {
  const full = fullSession(calendar, date);
  const rth = specialOn(calendar, date)?.rth ?? calendar.rth.close;
  if (full === null || rth === 'none') return null;
  const regular = normalSession({ ...calendar.rth, close: rth }, date);
  const cut = regular.close > full.close ? { ...regular, close: full.close } : regular;
  return cut.open < cut.close ? cut : null;
}

/** The UTC days on which the market is open for some time, whole. */
function utcSessions(calendar: Calendar, fromDate: UtcDay, toDate: UtcDay): Session[] {
  // A trading date may open on the UTC day before it and, west of Greenwich, close on the one after.
  const around = resolveSessions(calendar, 'full', addDays(fromDate, -1), addDays(toDate, 1));
  const table = createSessionTable(around);
  return eachDate(fromDate, toDate, (date) =>
    tradesOnUtcDay(table, date)
      ? { date, open: epochNs(date, 0), close: epochNs(addDays(date, 1), 0) }
      : null,
  );
}

function normalSession(hours: SessionHours, date: UtcDay): Session {
  const open = zonedInstant(addDays(date, hours.openDayOffset), hours.open, hours.zone);
  const close = zonedInstant(date, hours.close, hours.zone);
  return { date, open, close };
}

function specialOn(calendar: Calendar, date: UtcDay): SpecialHours | undefined {
  if (calendar.special.length === 0) return undefined;
  const holiday = usHolidayOn(date);
  const year = Math.trunc(date / 10_000);
  return calendar.special.find((line) => {
    if (!line.days.includes(date) && (holiday === null || !line.days.includes(holiday)))
      return false;
    if (line.onFriday === true && isoWeekday(date) !== FRIDAY) return false;
    return line.years === undefined || (line.years[0] <= year && year <= line.years[1]);
  });
}
