/** The sessions a study needs around a range: kept ones first, and where they do not reach, what the calendar says. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { extendSessionBook, type SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { addDays, dayOf } from '@tapeloom/core/utc-day';

/** Calendar days that surely hold this many sessions: holidays, weekends and a spare. */
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
  // All sessions on a sealed tape have opened: as of `to` none that is kept may change.
  return extendSessionBook(kept, calendar, first, last, to);
}
