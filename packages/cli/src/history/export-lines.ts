/**
 * Rewrites a finished export of lines as expanded lines, CSV or a table. Its last line must confirm that it is
 * complete.
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
  /** The indicator's fields; not needed for JSON lines. */
  readonly fields: readonly DataField[];
  readonly signal: AbortSignal;
  /** Called now and then with the number of lines read. */
  readonly onLines: (lines: number) => void;
}

/** Returns the number of results. */
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
    // For unchanged lines, only the last one needs parsing.
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

/** The lines of a compressed file, in batches; text after the last line feed is dropped. */
async function* linesOf(path: string, signal?: AbortSignal): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  // Chunks of the unfinished line, joined once: the time per byte does not grow with the length of the line.
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
