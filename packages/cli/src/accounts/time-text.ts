/** Reads instants from the command line and renders them. */

import { parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import { UsageError } from '../command.ts';

/** The last instant that 64 bits hold. */
const INSTANT_MAX = 2n ** 63n - 1n;
const SPAN = /^(\d{1,5})(m|h|d)$/;
const UNIT_NS: Readonly<Record<string, bigint>> = {
  m: MINUTE_NS_BIG,
  h: HOUR_NS_BIG,
  d: DAY_NS_BIG,
};

const TIME_ACCEPTS =
  'a date like 2027-01-31 (its midnight UTC), a time like 2027-01-31T13:30:00Z, nanoseconds since 1970, ' +
  'or a span';

/** The future instant given to an option; a span counts from now. */
export function readFutureTime(option: string, text: string, now: EpochNs): EpochNs {
  const span = spanOf(text);
  const instant = span === null ? parseInstant(text) : now + span;
  if (instant === null) throw notATime(option, 'from now like 90d, 12h or 30m', text);
  if (instant <= now) throw new UsageError(`${option} must be in the future; got ${text}`);
  if (instant > INSTANT_MAX) throw new UsageError(`${option} must be before 2262; got ${text}`);
  return instant as EpochNs;
}

/** The instant given to an option, past or future; a span counts back from now. */
export function readSince(option: string, text: string, now: EpochNs): EpochNs {
  const span = spanOf(text);
  const instant = span === null ? parseInstant(text) : now - span;
  if (instant === null) throw notATime(option, 'until now like 7d, 12h or 30m', text);
  return instant as EpochNs;
}

function spanOf(text: string): bigint | null {
  const span = SPAN.exec(text);
  return span === null ? null : BigInt(span[1]!) * UNIT_NS[span[2]!]!;
}

function notATime(option: string, whichSpan: string, text: string): UsageError {
  return new UsageError(`${option} must be ${TIME_ACCEPTS} ${whichSpan}; got ${text}`);
}

/** `2027-01-31 13:30:00Z`, to the second. */
export function timeText(instant: EpochNs): string {
  return `${new Date(Number(instant / MS_NS_BIG)).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** Nanoseconds as decimal digits, as in all our JSON. */
export function timeJson(instant: EpochNs | null): string | null {
  return instant === null ? null : String(instant);
}
