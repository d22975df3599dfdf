/**
 * Instants as customers write them: nanoseconds since 1970, RFC 3339, or a date (midnight UTC). An integer too small
 * for nanoseconds is rejected: it is a date without hyphens or in another unit, and would mean a moment in 1970.
 */

import type { EpochNs } from './numbers.ts';
import { MS_NS_BIG, SECOND_NS_BIG } from './units.ts';
import { epochNs, isUtcDay } from './utc-day.ts';

const NANOSECONDS = /^(?:0|[1-9]\d{0,18})$/;
/** March 1973. 0 is accepted too: it means 1970 in every unit. */
const NANOSECONDS_MIN = 10n ** 17n;
/** Other units since 1970, with the least value that is plausible in each. */
const UNITS = [
  { name: 'seconds', ns: SECOND_NS_BIG, least: 10n ** 8n },
  { name: 'milliseconds', ns: MS_NS_BIG, least: 10n ** 11n },
  { name: 'microseconds', ns: 1_000n, least: 10n ** 14n },
] as const;
/** A number counts as a unit up to a hundred times that value, which covers some hundred years. */
const UNIT_SPAN = 100n;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The instant of a text; null if it is not exactly one at or after 1970. */
export function parseInstant(text: string): EpochNs | null {
  if (NANOSECONDS.test(text)) {
    const value = BigInt(text);
    return value === 0n || value >= NANOSECONDS_MIN ? (value as EpochNs) : null;
  }
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

/** What is wrong with a text that is no instant, and what was probably meant. */
export function instantFault(text: string): string {
  const meant = NANOSECONDS.test(text) ? meantBy(text) : null;
  const accepted = 'must be nanoseconds since 1970, an RFC 3339 time or a date YYYY-MM-DD';
  return meant === null ? accepted : `${accepted}; ${meant}`;
}

function meantBy(digits: string): string {
  if (digits.length === 8 && isUtcDay(Number(digits))) {
    const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
    return `did you mean the date ${date}?`;
  }
  const value = BigInt(digits);
  const unit = UNITS.find(({ least }) => value >= least && value < least * UNIT_SPAN);
  if (unit === undefined) return 'this number is too small for nanoseconds';
  return `this looks like ${unit.name}: in nanoseconds it is ${value * unit.ns}`;
}
