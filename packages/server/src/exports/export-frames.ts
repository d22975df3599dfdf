/**
 * The body of an export: zstd frames, one after another, that expand to lines. Line 0 is the header, then
 * comes one line for each result as history pages have them, then the end with their number: who has it has
 * all. A day that is exported whole goes out as the frame it is kept as.
 *
 * The lines of a query are always the same, so an export can begin at any of them. Nothing is read ahead:
 * the next day is asked for when the one before was taken.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import { compressLines, expandFrame } from '../history/day-lines.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { NotWarmError } from '../history/history-refusal.ts';
import type { DayResult, DaysRead, Lines } from '../history/settled-days.ts';
import { type LineSpan, linesIn } from '../history/settled-range.ts';

export interface ExportOptions {
  readonly query: HistoryQuery;
  readonly engineFingerprint: string;
  /** The first line that is wanted. */
  readonly line: number;
  /** Of the query's days, in frames; disposed of at the end. */
  open(): Promise<DaysRead>;
}

/** There is no such line: the export has fewer. */
export class NoSuchLineError extends Error {}

export async function* exportFrames(options: ExportOptions): AsyncGenerator<Uint8Array> {
  const { query, engineFingerprint, line } = options;
  const { from, untilCursor } = query;
  const range = { from, after: null, last: untilCursor === null ? null : parseCursor(untilCursor) };
  await using read = await options.open();
  // Before anything is sent: what is wrong at the start can still be told.
  let result = warm(query, await read.next());
  const lines = new LineCount(line);
  if (lines.take(1) < 1) yield* textFrame(headerLine(query, engineFingerprint));
  while (result !== null) {
    const span = linesIn(result, range);
    const skipped = lines.take(span.end - span.first);
    yield* framesOf(result, { first: span.first + skipped, end: span.end });
    const tailSkipped = lines.take(result.tail.ends.length);
    yield* linesFrame(result.tail, { first: tailSkipped, end: result.tail.ends.length });
    if (span.end < result.settled.ends.length) break;
    result = warm(query, await read.next());
  }
  const items = lines.count - 1;
  if (lines.take(1) < 1) yield* textFrame({ t: 'end', items });
  else if (line > lines.count) throw new NoSuchLineError(`there are ${lines.count} lines`);
}

/** Counts lines, and tells how many of the next ones are before the first that is wanted. */
class LineCount {
  count = 0;
  readonly #wanted: number;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  take(lines: number): number {
    const skipped = Math.min(lines, Math.max(0, this.#wanted - this.count));
    this.count += lines;
    return skipped;
  }
}

function headerLine(query: HistoryQuery, engineFingerprint: string): object {
  const { instrument, contract, tickSizeNanos, indicator, params, mode, from, to } = query;
  const { untilCursor } = query;
  return {
    t: 'header',
    version: 1,
    instrument,
    contract,
    tickSizeNanos,
    indicator,
    params,
    mode,
    from: String(from),
    ...(untilCursor === null ? { to: String(to) } : { untilCursor }),
    engineFingerprint,
  };
}

function warm({ indicator }: HistoryQuery, result: DayResult | null): DayResult | null {
  if (result?.isWarm === false) throw new NotWarmError(`${indicator} on ${result.day}`);
  return result;
}

async function* framesOf(
  { settled, frame }: DayResult,
  span: LineSpan,
): AsyncGenerator<Uint8Array> {
  const { ends } = settled;
  if (span.first >= span.end) return;
  if (frame !== null && span.first === 0 && span.end === ends.length) {
    yield frame;
    return;
  }
  const bytes = frame === null ? settled.bytes : expandFrame(frame, ends.at(-1)!);
  yield* linesFrame({ bytes, ends }, span);
}

async function* linesFrame({ bytes, ends }: Lines, { first, end }: LineSpan) {
  if (first >= end) return;
  const start = first === 0 ? 0 : ends[first - 1]!;
  const frame = await compressLines(bytes.subarray(start, ends[end - 1]!));
  if (frame !== null) yield frame;
}

async function* textFrame(line: object): AsyncGenerator<Uint8Array> {
  const frame = await compressLines(Buffer.from(`${JSON.stringify(line)}\n`));
  if (frame !== null) yield frame;
}
