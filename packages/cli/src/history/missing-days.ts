/** Renders the missing days of a range. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { rangesText } from '../day-text.ts';
import { wholeText } from '../stream/text-format.ts';

/** Days that are listed; the rest are counted. */
const DAYS_TOLD_MAX = 60;

export interface MissingDays {
  /** The first missing days, `YYYY-MM-DD`. */
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
}

/** `2026-09-01 to 2026-09-04 and 2026-09-07 (5 days)`. */
export function missingDaysText({ missingDays, missingDaysTotal }: MissingDays): string {
  const told = missingDays.slice(0, DAYS_TOLD_MAX);
  const days = told.map((day) => Number(day.replaceAll('-', '')) as UtcDay);
  const more = missingDaysTotal > told.length ? ' and more' : '';
  const count = `${wholeText(missingDaysTotal)} day${missingDaysTotal === 1 ? '' : 's'}`;
  return `${rangesText(days)}${more} (${count})`;
}
