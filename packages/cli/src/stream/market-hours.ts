/** When a closed market opens again, from its calendar: the same rules the service uses. */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';

/** The longest time a market of ours is ever shut, with room. */
const DAYS_AHEAD = 14;

/** The next open after `now`; null when the calendar is not known here. */
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
    // A newer service may know calendars that this command does not.
    return null;
  }
}
