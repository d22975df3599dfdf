/** The months in which budgets are counted: calendar months in UTC, each from its first midnight on. */

import type { EpochNs } from '../numbers.ts';
import { dayOf, epochNs, utcDay } from '../utc-day.ts';

/** The month of an instant, as usage reports name it: `2026-11`. */
export function periodOf(now: EpochNs): string {
  const digits = String(dayOf(now));
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}`;
}

/** The first instant of the next month. */
export function nextRenewal(now: EpochNs): EpochNs {
  const day = dayOf(now);
  const year = Math.trunc(day / 10_000);
  const month = Math.trunc(day / 100) % 100;
  const first = month === 12 ? (year + 1) * 10_000 + 101 : year * 10_000 + (month + 1) * 100 + 1;
  return epochNs(utcDay(first), 0);
}
