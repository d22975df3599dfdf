/**
 * Turns a calendar into sessions: at most one of each kind per trading date, disjoint and ascending. Temporal computes
 * every edge, which is slow: it is done in advance, for the session book, never while trades are processed. A session's
 * date is the local date of its close. On a holiday that is the holiday itself, although clearing already books the
 * next business day: so every session has a date of its own.
 */

import type { UtcDay } from '../numbers.ts';
import { addDays, epochNs, isoWeekday } from '../utc-day.ts';
import type { Calendar, SessionHours, SpecialHours, WeeklyHours } from './calendar.ts';
import type { Session, SessionKind } from './session.ts';
import { createSessionTable, tradesOnUtcDay } from './session-table.ts';
import { specialNamesOf } from './special-days.ts';
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
      return fullSessions(calendar, fromDate, toDate);
    case 'rth':
      return regularSessions(calendar, fullSessions(calendar, fromDate, toDate));
    case 'utc':
      return utcSessions(fullSessionsAround(calendar, fromDate, toDate), fromDate, toDate);
    default:
      return kind satisfies never;
  }
}

/** The sessions of every kind. Trading days, from which the others follow, are resolved once. */
export function resolveAllSessions(
  calendar: Calendar,
  fromDate: UtcDay,
  toDate: UtcDay,
): Readonly<Record<SessionKind, Session[]>> {
  const around = fullSessionsAround(calendar, fromDate, toDate);
  const full = around.filter(({ date }) => fromDate <= date && date <= toDate);
  return {
    full,
    rth: regularSessions(calendar, full),
    utc: utcSessions(around, fromDate, toDate),
  };
}

/** Whether this date has a trading day, even a short one. */
export function isTradingDate(calendar: Calendar, date: UtcDay): boolean {
  return hoursOn(calendar, date) !== undefined && specialOn(calendar, date)?.close !== 'closed';
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

function fullSessions(calendar: Calendar, fromDate: UtcDay, toDate: UtcDay): Session[] {
  return eachDate(fromDate, toDate, (date) => fullSession(calendar, date));
}

/** A trading date may open on the previous UTC day and, west of Greenwich, close on the next one. */
function fullSessionsAround(calendar: Calendar, fromDate: UtcDay, toDate: UtcDay): Session[] {
  return fullSessions(calendar, addDays(fromDate, -1), addDays(toDate, 1));
}

function fullSession(calendar: Calendar, date: UtcDay): Session | null {
  const hours = hoursOn(calendar, date);
  if (hours === undefined) return null;
  const close = specialOn(calendar, date)?.close ?? 'normal';
  if (close === 'closed') return null;
  return normalSession(close === 'normal' ? hours.full : { ...hours.full, close }, date);
}

function regularSessions(calendar: Calendar, full: readonly Session[]): Session[] {
  return full.flatMap((session) => regularSession(calendar, session) ?? []);
}

/** Regular hours lie inside the trading day: an early end cuts them. */
function regularSession(calendar: Calendar, full: Session): Session | null {
  const { date } = full;
  const hours = hoursOn(calendar, date)!;
  const rth = specialOn(calendar, date)?.rth ?? hours.rth.close;
  if (rth === 'none') return null;
  const regular = normalSession({ ...hours.rth, close: rth }, date);
  const cut = regular.close > full.close ? { ...regular, close: full.close } : regular;
  return cut.open < cut.close ? cut : null;
}

/** The whole UTC days on which the market is open at some time. */
function utcSessions(around: readonly Session[], fromDate: UtcDay, toDate: UtcDay): Session[] {
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

function hoursOn(calendar: Calendar, date: UtcDay): WeeklyHours | undefined {
  const weekday = isoWeekday(date);
  return calendar.hours.find(
    ({ from = date, to = date, weekdays }) =>
      from <= date && date <= to && weekdays.includes(weekday),
  );
}

function specialOn(calendar: Calendar, date: UtcDay): SpecialHours | undefined {
  if (calendar.special.length === 0) return undefined;
  const names = specialNamesOf(date);
  const year = Math.trunc(date / 10_000);
  return calendar.special.find((line) => {
    if (!line.days.some((day) => names.includes(day))) return false;
    if (line.onFriday === true && isoWeekday(date) !== FRIDAY) return false;
    return line.years === undefined || (line.years[0] <= year && year <= line.years[1]);
  });
}
