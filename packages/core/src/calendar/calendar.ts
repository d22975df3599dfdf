/**
 * A trading calendar is data: weekly hours as a wall clock of an IANA zone shows them, and lines that
 * say what happens on special days. An engineer edits these lines; sessions that have opened already
 * are never touched by it (`session-book.ts`).
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

/** One line of a calendar's special days. The first line that names a date decides it. */
export interface SpecialHours {
  readonly days: readonly SpecialDay[];
  /** First and last year in which the line holds; left out: always. */
  readonly years?: readonly [first: number, last: number];
  /** True: only when the day is a Friday, so that no evening session follows. */
  readonly onFriday?: true;
  /** Close of the trading day in the zone of `full`; `normal` leaves it as on any other day. */
  readonly close: LocalTime | 'closed' | 'normal';
  /** Close of regular hours in the zone of `rth`; left out: they end with the day at the latest. */
  readonly rth?: LocalTime | 'none';
}

/** The hours of some weekdays, always or for a time. */
export interface WeeklyHours {
  /** First and last trading date for which they hold; left out: without beginning, without end. */
  readonly from?: UtcDay;
  readonly to?: UtcDay;
  /** ISO weekdays (1 Monday … 7 Sunday) that are trading dates by these hours. */
  readonly weekdays: readonly number[];
  readonly full: SessionHours;
  readonly rth: SessionHours;
}

export interface Calendar {
  readonly name: string;
  /** The first line that holds on a date gives its hours; a date that none holds on is no trading date. */
  readonly hours: readonly WeeklyHours[];
  readonly special: readonly SpecialHours[];
}
