/**
 * The results of an export in their order, as spans of lines: of each day those in the range, then what
 * still forms. Nothing is read ahead: the next day is asked for when the one before was taken.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import type { HistoryQuery } from '../history/history-query.ts';
import { freeMemory } from '../platform/free-memory.ts';
import { Refusal } from '../platform/refusal.ts';
import type { DayResult, DaysRead } from '../results/settled-days.ts';
import { type LineSpan, linesIn } from '../results/settled-range.ts';
import type { Lines } from '../runs/day-lines.ts';

/** Good until the next one is asked for, but for the frame. */
export interface ExportSpan extends LineSpan {
  /** Its bytes are empty where there is a frame. */
  readonly lines: Lines;
  /** All lines as one zstd frame; null when they are not compressed. */
  readonly frame: Uint8Array<ArrayBuffer> | null;
  /** Lines before it that were left out, because they are not wanted. */
  readonly linesBefore: number;
}

export async function* exportSpans(
  query: HistoryQuery,
  read: DaysRead,
): AsyncGenerator<ExportSpan, void> {
  const { from, untilCursor } = query;
  const range = { from, after: null, last: untilCursor === null ? null : parseCursor(untilCursor) };
  for (;;) {
    const result = warm(query, await read.next());
    if (result === null) return;
    const { settled, frame, tail, linesBefore = 0 } = result;
    const span = linesIn(result, range);
    yield { ...span, lines: settled, frame, linesBefore };
    yield { first: 0, end: tail.ends.length, lines: tail, frame: null, linesBefore: 0 };
    if (span.end < settled.ends.length) return;
    for (const column of [settled.ends, settled.ranks, settled.ks, settled.fromNs]) {
      freeMemory(column.buffer);
    }
  }
}

function warm({ indicator }: HistoryQuery, result: DayResult | null): DayResult | null {
  if (result?.isWarm === false) throw new Refusal({ t: 'not-warm', indicator, day: result.day });
  return result;
}
