/** The months of budgets: calendar months in UTC. */

import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays, dayOf, epochNs, utcDay } from '../utc-day.ts';

interface Month {
  readonly period: string;
  readonly from: EpochNs;
  readonly until: EpochNs;
}

/** The month of the last call: every request needs it, and it rarely changes. */
let last: Month | null = null;

/** The month of an instant, as usage reports name it: `2026-11`. */
export function periodOf(now: EpochNs): string {
  return monthOf(now).period;
}

/** The first instant of the next month. */
export function nextRenewal(now: EpochNs): EpochNs {
  return monthOf(now).until;
}

/** The month `months` months before that of an instant. */
export function periodBefore(now: EpochNs, months: number): string {
  const [year, month] = periodOf(now).split('-').map(Number) as [number, number];
  const count = year * 12 + (month - 1) - months;
  return periodText(Math.floor(count / 12), (count % 12) + 1);
}

/** The day of an instant if it is in the month; else the nearest day of the month. */
export function dayIn(period: string, now: EpochNs): UtcDay {
  const current = periodOf(now);
  if (period === current) return dayOf(now);
  const [year, month] = period.split('-').map(Number) as [number, number];
  const first = year * 10_000 + month * 100 + 1;
  if (current < period) return utcDay(first);
  const next = month === 12 ? (year + 1) * 10_000 + 101 : first + 100;
  return addDays(utcDay(next), -1);
}

function monthOf(now: EpochNs): Month {
  if (last === null || now < last.from || now >= last.until) last = calendarMonth(now);
  return last;
}

function calendarMonth(now: EpochNs): Month {
  const day = dayOf(now);
  const year = Math.trunc(day / 10_000);
  const month = Math.trunc(day / 100) % 100;
  const first = year * 10_000 + month * 100 + 1;
  const next = month === 12 ? (year + 1) * 10_000 + 101 : first + 100;
  return {
    period: periodText(year, month),
    from: epochNs(utcDay(first), 0),
    until: epochNs(utcDay(next), 0),
  };
}

function periodText(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}
