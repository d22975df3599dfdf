/**
 * A cursor is a position in a study's log: `<utcDay>.<rank>.<k>` means "after the k-th update that the tape entry
 * `rank` of that day caused". Rank 0 is the day's midnight; k 0 is "before its first update". Text and value correspond
 * one to one: no signs, no leading zeros, no overflow, real days only. In comments, position(t) is the cursor of the
 * instant t: after all trades before t and all time events due by t (rule DET-02).
 */

import { RANK_MAX, type Rank, type UtcDay } from './numbers.ts';
import { isUtcDay } from './utc-day.ts';

export const CURSOR_K_MAX = 2 ** 32 - 1;
const CURSOR_TEXT = /^([1-9]\d{7})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;

export interface Cursor {
  readonly day: UtcDay;
  readonly rank: Rank;
  readonly k: number;
}

/** The cursor of a text; null if it is not exactly one. */
export function parseCursor(text: string): Cursor | null {
  const match = CURSOR_TEXT.exec(text);
  if (match === null) return null;
  const [day, rank, k] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (!isUtcDay(day) || rank > RANK_MAX || k > CURSOR_K_MAX) return null;
  return { day, rank: rank as Rank, k };
}

export function formatCursor(cursor: Cursor): string {
  return `${cursor.day}.${cursor.rank}.${cursor.k}`;
}

/** Negative, zero or positive if `a` lies before, at or after `b`. */
export function compareCursors(a: Cursor, b: Cursor): number {
  return a.day - b.day || a.rank - b.rank || a.k - b.k;
}
