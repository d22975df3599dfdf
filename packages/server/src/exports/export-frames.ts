/**
 * The body of an export: zstd frames, one after another, that expand to lines. Line 0 is the header, then
 * comes one line for each result as history pages have them, then the end with their number: who has it has
 * all. Whole blocks go out as the frames they are kept as.
 *
 * The lines of a query are always the same, so an export can begin at any of them.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { Block } from '../blocks/block.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { compressFrame, compressShort } from '../results/frames.ts';
import type { DayPart, DaysRead } from '../results/settled-days.ts';
import { exportHeader } from './export-header.ts';
import { exportPages } from './export-pages.ts';

export interface ExportOptions {
  readonly query: HistoryQuery;
  readonly engineFingerprint: string;
  /** Undefined: an export of before that was told is resumed, and its header says what it said. */
  readonly lookBackFrom: string | null | undefined;
  /** The first line that is wanted. */
  readonly line: number;
  /** The query's results in frames, without the first so many; disposed of at the end. */
  open(skip: number): Promise<DaysRead>;
}

/** There is no such line: the export has fewer. */
export class NoSuchLineError extends Error {}

export async function* exportFrames(options: ExportOptions): AsyncGenerator<Uint8Array> {
  const { query, engineFingerprint, lookBackFrom, line } = options;
  // The header is line 0.
  await using read = await options.open(Math.max(0, line - 1));
  const pages = exportPages(query.indicator, read);
  // Before anything is sent: what is wrong at the start can still be told.
  let next = await pages.next();
  const header = { t: 'header', ...exportHeader(query, engineFingerprint, lookBackFrom) };
  if (line === 0) yield textFrame(header);
  let items = 0;
  for (; next.done !== true; next = await pages.next()) {
    const { parts, frames } = next.value;
    items = parts.reduce((sum, { skipped, updates }) => sum + skipped + updates, items);
    if (frames.length > 0) yield frames;
    const tail = tailOf(parts);
    const skipped = Math.min(tail.count, Math.max(0, line - 1 - items));
    items += tail.count;
    if (skipped < tail.count) yield await compressFrame(tail.text.subarray(tail.start(skipped)));
  }
  // The end is a line as well.
  if (line <= items + 1) yield textFrame({ t: 'end', items });
  else if (line > items + 2) throw new NoSuchLineError(`there are ${items + 2} lines`);
}

function tailOf(parts: readonly DayPart[]): Block {
  const tail = parts.at(-1)?.tail;
  return new Block(tail ?? { day: 0 as UtcDay, count: 0, memory: new ArrayBuffer(0) });
}

function textFrame(line: object): Uint8Array {
  return compressShort(Buffer.from(`${JSON.stringify(line)}\n`));
}
