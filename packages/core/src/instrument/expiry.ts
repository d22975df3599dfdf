/**
 * The last trading day of a contract month, by the exchanges' rules. Business days are those of United
 * States exchanges (`us-holidays.ts`): a holiday with a short electronic session is none.
 */

import {
  addBusinessDays,
  isUsBusinessDay,
  lastWeekday,
  nthWeekday,
} from '../calendar/us-holidays.ts';
import type { UtcDay } from '../numbers.ts';
import { addDays, utcDay } from '../utc-day.ts';

export type ExpiryRule =
  /** The third Friday, or the business day before it when it is none (June 2026). */
  | { readonly kind: 'third-friday' }
  /** The last Friday, or the business day before it when it is none (December 2026). */
  | { readonly kind: 'last-friday' }
  /** The second business day before the third Wednesday. */
  | { readonly kind: 'before-third-wednesday' }
  /** The third business day before the 25th of the month before; the fourth if the 25th is none. */
  | { readonly kind: 'before-25th-of-prior-month' }
  /** So many business days before the month's last business day. */
  | { readonly kind: 'from-month-end'; readonly businessDays: number };

const WEDNESDAY = 3;
const FRIDAY = 5;

/** The local date on which trading of the contract month ends; `month` counts from 1. */
export function expiryDay(rule: ExpiryRule, year: number, month: number): UtcDay {
  switch (rule.kind) {
    case 'third-friday':
      return businessDayAtOrBefore(nthWeekday(year, month, FRIDAY, 3));
    case 'last-friday':
      return businessDayAtOrBefore(lastWeekday(year, month, FRIDAY));
    case 'before-third-wednesday':
      return addBusinessDays(nthWeekday(year, month, WEDNESDAY, 3), -2);
    case 'before-25th-of-prior-month': {
      const the25th = addDays(firstOfMonth(year, month), -1);
      return addBusinessDays(businessDayAtOrBefore(utcDay(the25th - (the25th % 100) + 25)), -3);
    }
    case 'from-month-end': {
      const next = month === 12 ? firstOfMonth(year + 1, 1) : firstOfMonth(year, month + 1);
      return addBusinessDays(next, -1 - rule.businessDays);
    }
    default:
      return rule satisfies never;
  }
}

function businessDayAtOrBefore(day: UtcDay): UtcDay {
  return isUsBusinessDay(day) ? day : addBusinessDays(day, -1);
}

function firstOfMonth(year: number, month: number): UtcDay {
  return utcDay(year * 10_000 + month * 100 + 1);
}
