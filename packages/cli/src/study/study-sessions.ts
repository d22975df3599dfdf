/** The sessions that a study needs around a range: stored ones first, then those of the calendar. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { extendSessionBook, type SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { addDays, dayOf } from '@tapeloom/core/utc-day';

/** Calendar days per session that allow for holidays and weekends, and a spare. */
const DAYS_PER_SESSION = 2;
const DAYS_SPARE = 14;

export function coveringBook(
  kept: SessionBook | null,
  calendar: Calendar,
  { indicator, params }: { readonly indicator: Indicator; readonly params: Params },
  { from, to }: { readonly from: EpochNs; readonly to: EpochNs },
): SessionBook {
  const backDays = indicator.lookBackSessionsMax(params) * DAYS_PER_SESSION + DAYS_SPARE;
  const first = addDays(dayOf(from), -backDays);
  const last = addDays(dayOf(to), DAYS_SPARE);
  // All sessions of a sealed tape have opened, so as of `to` no stored session may change.
  return extendSessionBook(kept, calendar, first, last, to);
}
