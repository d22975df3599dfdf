/** Which lines of a day's result belong to a range: after its start, up to its end, found without parsing. */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import type { SettledLines } from '../runs/day-lines.ts';
import { countUntil } from '../runs/day-lines.ts';
import type { DayResult } from './settled-days.ts';

/** Its end in time is the read's own. */
export interface SettledRange {
  /** Lines are strictly after position(from). */
  readonly from: EpochNs;
  /** And strictly after this. */
  readonly after: Cursor | null;
  /** And not after this. */
  readonly last: Cursor | null;
}

export interface LineSpan {
  readonly first: number;
  /** After the last. */
  readonly end: number;
}

export function linesIn(
  { day, settled }: Pick<DayResult, 'day' | 'settled'>,
  { from, after, last }: SettledRange,
): LineSpan {
  const early = day === dayOf(from) ? countUntil(settled.fromNs, nsOfDay(from)) : 0;
  const passed = after === null ? 0 : countUpTo(day, settled, after);
  const end = last === null ? settled.ends.length : countUpTo(day, settled, last);
  const first = Math.max(early, passed);
  return { first: Math.min(first, end), end };
}

export function cursorOfLine(day: UtcDay, { ranks, ks }: SettledLines, line: number): string {
  return formatCursor({ day, rank: ranks[line]! as Rank, k: ks[line]! });
}

/** How many lines, from the first one on, are not after a cursor. */
function countUpTo(day: UtcDay, { ranks, ks }: SettledLines, cursor: Cursor): number {
  if (day !== cursor.day) return day < cursor.day ? ranks.length : 0;
  let low = 0;
  let high = ranks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [rank, k] = [ranks[middle]!, ks[middle]!];
    const isAfter = rank > cursor.rank || (rank === cursor.rank && k > cursor.k);
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low;
}
