/**
 * Daylight saving of New York and London by rule, as offsets from UTC on a day. With its own rules no update of a
 * time-zone database changes a simulated tape. Sessions come from the calendar; these rules only place the activity.
 */

import { dayFromNumber, dayNumber, utcDay } from '@tapeloom/core/utc-day';

/** Minutes to add to New York time to get UTC: 240 in summer, 300 in winter. */
export function newYorkToUtcMinutes(day: number): number {
  const year = yearOf(day);
  const start = sundayOnOrAfter(year, 3, 8);
  const end = sundayOnOrAfter(year, 11, 1);
  return day >= start && day < end ? 240 : 300;
}

/** Minutes to add to London time to get UTC: -60 in summer, 0 in winter. */
export function londonToUtcMinutes(day: number): number {
  const year = yearOf(day);
  const start = sundayOnOrAfter(year, 3, 25);
  const end = sundayOnOrAfter(year, 10, 25);
  return day >= start && day < end ? -60 : 0;
}

/** 0 Sunday … 6 Saturday; day number 0, 1970-01-01, was a Thursday. */
export function weekday(day: number): number {
  return (day + 4) % 7;
}

/** 1 … 31. */
export function dayOfMonth(day: number): number {
  return dayFromNumber(day) % 100;
}

function yearOf(day: number): number {
  return Math.trunc(dayFromNumber(day) / 10_000);
}

function sundayOnOrAfter(year: number, month: number, date: number): number {
  const first = dayNumber(utcDay(year * 10_000 + month * 100 + date));
  return first + ((7 - weekday(first)) % 7);
}
