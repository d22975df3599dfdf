/**
 * A session is one stretch of trading, resolved once from its exchange's calendar and stored with the tape. Studies use
 * sessions only, never a calendar or a clock. Sessions of one kind are disjoint and ascending; a trade belongs to the
 * session with open ≤ ts < close.
 */

import type { EpochNs, UtcDay } from '../numbers.ts';

/**
 * `full`: the exchange's trading day. `rth`: its regular hours. `utc`: the calendar day in UTC, if the exchange is open
 * at any time of it; a day without trading hours is no session of any kind.
 */
export const SESSION_KINDS = ['full', 'rth', 'utc'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export interface Session {
  /** The exchange's trading date, which for `full` may be the day after the open. */
  readonly date: UtcDay;
  readonly open: EpochNs;
  readonly close: EpochNs;
  /** For a `full` session from a book: its regular hours, if any. */
  readonly regular?: { readonly open: EpochNs; readonly close: EpochNs };
}

/** The sessions of one calendar and kind around any instant, ascending. */
export interface SessionTable {
  /** The session that is open at `instant`, else the next one; null beyond the table. */
  atOrAfter(instant: EpochNs): Session | null;
  /** The last session with open ≤ `instant`; null before the table. */
  atOrBefore(instant: EpochNs): Session | null;
}
