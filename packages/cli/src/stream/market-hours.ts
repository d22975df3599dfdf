/** When a closed market opens again, by the calendar rules of the service. */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';

/** Longer than any of our markets stays closed. */
const DAYS_AHEAD = 14;

/** The next open after `now`; null when this command does not know the calendar. */
export function nextOpen(calendar: string, now: bigint): bigint | null {
  try {
    const today = dayOf(now as EpochNs);
    const sessions = resolveSessions(
      calendarNamed(calendar),
      'full',
      today,
      addDays(today, DAYS_AHEAD),
    );
    return sessions.find((session) => session.open > now)?.open ?? null;
  } catch {
    // A newer service may have calendars that this command does not know.
    return null;
  }
}
