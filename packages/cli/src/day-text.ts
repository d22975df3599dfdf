/** Parses and renders UTC days for the operator. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, isUtcDay } from '@tapeloom/core/utc-day';
import { UsageError } from './command.ts';

const DATE_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

export function readDay(option: string, text: string | undefined): UtcDay {
  if (text === undefined) throw new UsageError(`${option} is missing`);
  const match = DATE_TEXT.exec(text);
  const day = match === null ? Number.NaN : Number(match[1]! + match[2]! + match[3]!);
  if (!isUtcDay(day)) throw new UsageError(`${option} must be a date like 2026-09-01; got ${text}`);
  return day;
}

export function dateText(day: UtcDay): string {
  return String(day).replace(/(....)(..)(..)/, '$1-$2-$3');
}

/** "2026-09-01 to 2026-09-04 and 2026-09-07". */
export function rangesText(days: readonly UtcDay[]): string {
  const ranges: [UtcDay, UtcDay][] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last[1], 1) === day) last[1] = day;
    else ranges.push([day, day]);
  }
  return ranges
    .map(([a, b]) => (a === b ? dateText(a) : `${dateText(a)} to ${dateText(b)}`))
    .join(' and ');
}
