/**
 * The last trading day of a contract month, by the exchanges' rules. Business days are by default those of United
 * States exchanges (`us-holidays.ts`): a holiday with a short electronic session is none.
 */

import {
  addBusinessDays,
  type IsBusinessDay,
  isUsBusinessDay,
  lastWeekday,
  nthWeekday,
} from '../calendar/us-holidays.ts';
import type { UtcDay } from '../numbers.ts';
import { addDays, utcDay } from '../utc-day.ts';

export type ExpiryRule =
  /** The third Friday; if that is no business day, the business day before it (June 2026). */
  | { readonly kind: 'third-friday' }
  /** The last Friday; if that is no business day, the business day before it (December 2026). */
  | { readonly kind: 'last-friday' }
  /** The second business day before the third Wednesday. */
  | { readonly kind: 'before-third-wednesday' }
  /** The third business day before the 25th of the month before; the fourth if the 25th is no business day. */
  | { readonly kind: 'before-25th-of-prior-month' }
  /** `businessDays` before the month's last business day. */
  | { readonly kind: 'from-month-end'; readonly businessDays: number }
  /** `businessDays` before the month begins. */
  | { readonly kind: 'before-month'; readonly businessDays: number }
  /** `businessDays` before a day of the month, or before the next business day if that day is none. */
  | {
      readonly kind: 'before-day-of-month';
      readonly dayOfMonth: number;
      readonly businessDays: number;
    }
  /** The last business day of the second month before; if that is December, the one before it. */
  | { readonly kind: 'end-of-second-prior-month' };

const WEDNESDAY = 3;
const FRIDAY = 5;

/** The local date on which trading of the contract month ends; `month` counts from 1. */
export function expiryDay(
  rule: ExpiryRule,
  year: number,
  month: number,
  isBusinessDay: IsBusinessDay = isUsBusinessDay,
): UtcDay {
  const atOrBefore = (day: UtcDay) => (isBusinessDay(day) ? day : later(day, -1));
  const later = (day: UtcDay, count: number) => addBusinessDays(day, count, isBusinessDay);
  const first = firstOfMonth(year, month);
  switch (rule.kind) {
    case 'third-friday':
      return atOrBefore(nthWeekday(year, month, FRIDAY, 3));
    case 'last-friday':
      return atOrBefore(lastWeekday(year, month, FRIDAY));
    case 'before-third-wednesday':
      return later(nthWeekday(year, month, WEDNESDAY, 3), -2);
    case 'before-25th-of-prior-month': {
      const the25th = addDays(first, -1);
      return later(atOrBefore(utcDay(the25th - (the25th % 100) + 25)), -3);
    }
    case 'from-month-end':
      return later(firstOfMonth(year, month + 1), -1 - rule.businessDays);
    case 'before-month':
      return later(first, -rule.businessDays);
    case 'before-day-of-month': {
      const named = addDays(first, rule.dayOfMonth - 1);
      return later(isBusinessDay(named) ? named : later(named, 1), -rule.businessDays);
    }
    case 'end-of-second-prior-month': {
      const next = firstOfMonth(year, month - 1);
      return later(next, isJanuary(next) ? -2 : -1);
    }
    default:
      return rule satisfies never;
  }
}

/** Months below 1 and above 12 belong to the neighbouring years. */
function firstOfMonth(year: number, month: number): UtcDay {
  const months = year * 12 + month - 1;
  return utcDay(Math.trunc(months / 12) * 10_000 + ((months % 12) + 1) * 100 + 1);
}

function isJanuary(day: UtcDay): boolean {
  return Math.trunc(day / 100) % 100 === 1;
}
