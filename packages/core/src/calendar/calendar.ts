/**
 * A trading calendar as data: weekly hours in the wall time of an IANA zone, and lines for special days. Editing it
 * never changes sessions that have already opened (`session-book.ts`).
 */

import type { UtcDay } from '../numbers.ts';
import type { SpecialDay } from './special-days.ts';
import type { LocalTime } from './zoned-instant.ts';

export interface SessionHours {
  readonly zone: string;
  /** -1: opens on the evening before its trading date. */
  readonly openDayOffset: -1 | 0;
  readonly open: LocalTime;
  readonly close: LocalTime;
}

/** One line of a calendar's special days. The first line that names a date applies. */
export interface SpecialHours {
  readonly days: readonly SpecialDay[];
  /** First and last year in which the line applies; absent: always. */
  readonly years?: readonly [first: number, last: number];
  /** True: only if the day is a Friday, so that no evening session follows. */
  readonly onFriday?: true;
  /** Close of the trading day in the zone of `full`; `normal`: as on any other day. */
  readonly close: LocalTime | 'closed' | 'normal';
  /** Close of regular hours in the zone of `rth`; absent: as on any other day, but no later than the trading day. */
  readonly rth?: LocalTime | 'none';
}

/** The hours of some weekdays, always or for a period. */
export interface WeeklyHours {
  /** First and last trading date to which they apply; absent: no limit. */
  readonly from?: UtcDay;
  readonly to?: UtcDay;
  /** ISO weekdays (1 Monday … 7 Sunday) that are trading dates with these hours. */
  readonly weekdays: readonly number[];
  readonly full: SessionHours;
  readonly rth: SessionHours;
}

export interface Calendar {
  readonly name: string;
  /** The first entry that applies to a date gives its hours. A date without an entry is no trading date. */
  readonly hours: readonly WeeklyHours[];
  readonly special: readonly SpecialHours[];
}
