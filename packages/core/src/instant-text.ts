/** Instants as customers write them: nanoseconds since 1970, RFC 3339, or a date (its midnight UTC). */

import type { EpochNs } from './numbers.ts';
import { epochNs, isUtcDay } from './utc-day.ts';

const NANOSECONDS = /^(?:0|[1-9]\d{0,18})$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The instant a text stands for, or null when it is not exactly one at or after 1970. */
export function parseInstant(text: string): EpochNs | null {
  if (NANOSECONDS.test(text)) return BigInt(text) as EpochNs;
  const date = DATE.exec(text);
  if (date !== null) {
    const day = Number(date[1]! + date[2]! + date[3]!);
    return isUtcDay(day) ? epochNs(day, 0) : null;
  }
  if (!RFC_3339.test(text)) return null;
  try {
    const instant = Temporal.Instant.from(text.toUpperCase()).epochNanoseconds;
    return instant >= 0n ? (instant as EpochNs) : null;
  } catch {
    return null;
  }
}
