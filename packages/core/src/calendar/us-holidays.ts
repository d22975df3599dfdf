/**
 * The days on which United States markets depart from normal hours, by rule for any year; at most one name per day. The
 * hours on such a day are in the calendar (`cme-holidays.ts`). Sources: the federal holidays of 5 U.S.C. 6103 that
 * exchanges observe, NYSE Rule 7.2 for observed days (Saturday → the Friday before, Sunday → the Monday after; New Year
 * on a Saturday is not made up for), and the Gregorian computus for Good Friday.
 */

import type { UtcDay } from '../numbers.ts';
import { addDays, isoWeekday, utcDay } from '../utc-day.ts';

/** Business days that end early. The eves are half days from Monday to Thursday only. */
const US_HALF_DAYS = ['independence-eve', 'thanksgiving-friday', 'christmas-eve'] as const;

/** Half days, and holidays, on which the exchange does no business even if the electronic market opens. */
export const US_HOLIDAYS = [
  'new-year',
  'martin-luther-king',
  'presidents',
  'good-friday',
  // A Good Friday on the first Friday of April: the employment report is published on it.
  'good-friday-jobs-report',
  'memorial',
  'juneteenth',
  'independence',
  'labor',
  'thanksgiving',
  'christmas',
  ...US_HALF_DAYS,
] as const;
export type UsHoliday = (typeof US_HOLIDAYS)[number];

const HALF_DAYS: readonly UsHoliday[] = US_HALF_DAYS;
const JUNETEENTH_YEAR_FIRST = 2022;
const MONDAY = 1;
const THURSDAY = 4;
const FRIDAY = 5;
const SATURDAY = 6;
const SUNDAY = 7;

const holidaysByYear = new Map<number, ReadonlyMap<UtcDay, UsHoliday>>();

/** The special day's name; null on an ordinary day. */
export function usHolidayOn(day: UtcDay): UsHoliday | null {
  const year = Math.trunc(day / 10_000);
  let days = holidaysByYear.get(year);
  if (days === undefined) {
    days = holidaysOfYear(year);
    holidaysByYear.set(year, days);
  }
  return days.get(day) ?? null;
}

/** Whether banks and exchanges do business: on half days, but not at weekends and on holidays. */
export function isUsBusinessDay(day: UtcDay): boolean {
  if (isoWeekday(day) >= SATURDAY) return false;
  const holiday = usHolidayOn(day);
  return holiday === null || HALF_DAYS.includes(holiday);
}

/** Whether a local date is a business day. Every month must have one. */
export type IsBusinessDay = (day: UtcDay) => boolean;

/** The business day `count` business days after `day` (before it if negative), `day` itself not counted. */
export function addBusinessDays(
  day: UtcDay,
  count: number,
  isBusinessDay: IsBusinessDay = isUsBusinessDay,
): UtcDay {
  const step = count < 0 ? -1 : 1;
  let at = day;
  for (let left = Math.abs(count); left > 0; ) {
    at = addDays(at, step);
    if (isBusinessDay(at)) left -= 1;
  }
  return at;
}

/** The `count`-th given ISO weekday of a month, from 1. */
export function nthWeekday(year: number, month: number, weekday: number, count: number): UtcDay {
  const first = utcDay(year * 10_000 + month * 100 + 1);
  return addDays(first, ((weekday - isoWeekday(first) + 7) % 7) + (count - 1) * 7);
}

export function lastWeekday(year: number, month: number, weekday: number): UtcDay {
  const fifth = nthWeekday(year, month, weekday, 5);
  return Math.trunc(fifth / 100) % 100 === month ? fifth : addDays(fifth, -7);
}

function holidaysOfYear(year: number): ReadonlyMap<UtcDay, UsHoliday> {
  const date = (month: number, day: number) => utcDay(year * 10_000 + month * 100 + day);
  const thanksgiving = nthWeekday(year, 11, THURSDAY, 4);
  const goodFriday = addDays(easterSunday(year), -2);
  const days = new Map<UtcDay, UsHoliday>([
    [isoWeekday(date(1, 1)) === SUNDAY ? date(1, 2) : date(1, 1), 'new-year'],
    [nthWeekday(year, 1, MONDAY, 3), 'martin-luther-king'],
    [nthWeekday(year, 2, MONDAY, 3), 'presidents'],
    [
      goodFriday,
      goodFriday === nthWeekday(year, 4, FRIDAY, 1) ? 'good-friday-jobs-report' : 'good-friday',
    ],
    [lastWeekday(year, 5, MONDAY), 'memorial'],
    [observed(date(7, 4)), 'independence'],
    [nthWeekday(year, 9, MONDAY, 1), 'labor'],
    [thanksgiving, 'thanksgiving'],
    [addDays(thanksgiving, 1), 'thanksgiving-friday'],
    [observed(date(12, 25)), 'christmas'],
  ]);
  if (year >= JUNETEENTH_YEAR_FIRST) days.set(observed(date(6, 19)), 'juneteenth');
  if (isoWeekday(date(7, 3)) <= THURSDAY) days.set(date(7, 3), 'independence-eve');
  if (isoWeekday(date(12, 24)) <= THURSDAY) days.set(date(12, 24), 'christmas-eve');
  return days;
}

function observed(day: UtcDay): UtcDay {
  const weekday = isoWeekday(day);
  if (weekday === SATURDAY) return addDays(day, -1);
  return weekday === SUNDAY ? addDays(day, 1) : day;
}

/** The anonymous Gregorian computus (Meeus, Jones, Butcher), with its customary letters. */
export function easterSunday(year: number): UtcDay {
  const a = year % 19;
  const b = Math.trunc(year / 100);
  const c = year % 100;
  const g = Math.trunc((8 * b + 13) / 25);
  const h = (19 * a + b - Math.trunc(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.trunc(c / 4) - h - (c % 4)) % 7;
  const m = Math.trunc((a + 11 * h + 22 * l) / 451);
  const monthAndDay = h + l - 7 * m + 114;
  return utcDay(year * 10_000 + Math.trunc(monthAndDay / 31) * 100 + (monthAndDay % 31) + 1);
}
