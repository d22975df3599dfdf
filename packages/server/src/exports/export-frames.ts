/**
 * The body of an export: zstd frames, one after another, that expand to lines. Line 0 is the header, then
 * comes one line for each result as history pages have them, then the end with their number: who has it has
 * all. A day that is exported whole goes out as the frame it is kept as.
 *
 * The lines of a query are always the same, so an export can begin at any of them.
 */

import type { HistoryQuery } from '../history/history-query.ts';
import type { DaysRead, SkippedLines } from '../results/settled-days.ts';
import { compressLines, expandFrame } from '../runs/day-lines.ts';
import { exportHeader } from './export-header.ts';
import { type ExportSpan, exportSpans } from './export-spans.ts';

export interface ExportOptions {
  readonly query: HistoryQuery;
  readonly engineFingerprint: string;
  /** Undefined: an export of before that was told is resumed, and its header says what it said. */
  readonly lookBackFrom: string | null | undefined;
  /** The first line that is wanted. */
  readonly line: number;
  /** Of the query's days, in frames; disposed of at the end. */
  open(skip?: SkippedLines): Promise<DaysRead>;
}

/** There is no such line: the export has fewer. */
export class NoSuchLineError extends Error {}

export async function* exportFrames(options: ExportOptions): AsyncGenerator<Uint8Array> {
  const { query, engineFingerprint, lookBackFrom, line } = options;
  // The header is line 0.
  const skip = line > 1 ? { after: query.from, lines: line - 1 } : undefined;
  await using read = await options.open(skip);
  const spans = exportSpans(query, read);
  // Before anything is sent: what is wrong at the start can still be told.
  let next = await spans.next();
  const lines = new LineCount(line);
  const header = { t: 'header', ...exportHeader(query, engineFingerprint, lookBackFrom) };
  if (lines.take(1) < 1) yield* textFrame(header);
  for (; next.done !== true; next = await spans.next()) {
    const { first, end, linesBefore } = next.value;
    lines.take(linesBefore);
    const skipped = lines.take(end - first);
    yield* framesOf({ ...next.value, first: first + skipped });
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

async function* framesOf({ lines, frame, first, end }: ExportSpan): AsyncGenerator<Uint8Array> {
  const { ends } = lines;
  if (first >= end) return;
  if (frame !== null && first === 0 && end === ends.length) {
    yield frame;
    return;
  }
  const bytes = frame === null ? lines.bytes : expandFrame(frame, ends.at(-1)!);
  const start = first === 0 ? 0 : ends[first - 1]!;
  const part = await compressLines(bytes.subarray(start, ends[end - 1]!));
  if (part !== null) yield part;
}

async function* textFrame(line: object): AsyncGenerator<Uint8Array> {
  const frame = await compressLines(Buffer.from(`${JSON.stringify(line)}\n`));
  if (frame !== null) yield frame;
}
