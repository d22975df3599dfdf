/**
 * A whole export of lines, as another text: expanded, as CSV or as a table. It is read a piece at a time, and is
 * not taken for whole unless its end says so.
 */

import { createReadStream } from 'node:fs';
import { createZstdDecompress } from 'node:zlib';
import type { DataField } from '../entries/data-fields.ts';
import type { Entry } from '../entries/entry.ts';
import type { EntryFormat } from '../entries/entry-format.ts';
import { type EntryText, entryText } from '../entries/entry-text.ts';
import type { TextSink } from '../entries/text-sink.ts';

type ExportLine =
  | Entry
  | { readonly t: 'header'; readonly contract: string; readonly tickSizeNanos: number }
  | { readonly t: 'end'; readonly items: number };

export interface RewriteOptions {
  readonly format: EntryFormat;
  /** Of the indicator; lines of JSON need none. */
  readonly fields: readonly DataField[];
  readonly signal: AbortSignal;
  /** Told now and then how many lines were read. */
  readonly onLines: (lines: number) => void;
}

/** How many results it has. */
export async function rewriteExport(
  path: string,
  sink: TextSink,
  { format, fields, signal, onLines }: RewriteOptions,
): Promise<number> {
  let text: EntryText | null = null;
  let end: number | null = null;
  let lines = 0;
  const take = (line: string) => {
    lines += 1;
    if (format === 'ndjson') sink.write(`${line}\n`);
    // Of lines that are kept as they are, only the last has something to tell.
    if (format === 'ndjson' && !line.startsWith('{"t":"end"')) return;
    const parsed = JSON.parse(line) as ExportLine;
    if (parsed.t === 'header') text = entryText(format, fields, parsed.tickSizeNanos);
    else if (parsed.t === 'end') end = parsed.items;
    else sink.write(text!.add(parsed));
  };
  for await (const found of linesOf(path, signal)) {
    for (const line of found) take(line);
    onLines(lines);
  }
  if (text !== null) sink.write((text as EntryText).end());
  if (end === null) throw new Error(`${path} ends before its last line: it is incomplete`);
  return end;
}

/** The contract of an export of lines, from its header. */
export async function contractOf(path: string): Promise<string | null> {
  for await (const [header] of linesOf(path)) {
    const parsed = JSON.parse(header!) as ExportLine;
    return parsed.t === 'header' ? parsed.contract : null;
  }
  return null;
}

/** The lines of a compressed file, some at a time; what comes after the last line's end is not among them. */
async function* linesOf(path: string, signal?: AbortSignal): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  // Pieces of the line that is open: joined once, so that a long line takes no longer than a short one for its length.
  let open: string[] = [];
  const file = createReadStream(path);
  try {
    const expanded = file.pipe(createZstdDecompress());
    file.on('error', (error) => expanded.destroy(error));
    for await (const chunk of expanded as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      const found = decoder.decode(chunk, { stream: true }).split('\n');
      open.push(found[0]!);
      if (found.length === 1) continue;
      found[0] = open.join('');
      open = [found.pop()!];
      yield found;
    }
  } finally {
    file.destroy();
  }
}
