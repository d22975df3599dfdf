/** How long a venue wants no further request or attempt to connect: its header `Retry-After`. */

import { DAY_MS } from '@tapeloom/core/units';

/** The longest ban of any venue. A longer one is a mistake, and must not end a feed for good. */
const RETRY_AFTER_MS_MAX = 3 * DAY_MS;

/** Of seconds. A date would need a clock: null, and the usual pause holds. */
export function retryAfterMs(text: string | undefined): number | null {
  const seconds = Number(text ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds * 1_000, RETRY_AFTER_MS_MAX) : null;
}
