/**
 * The body of an export as a table: its rows are the results in the lines of the same query, in the same order, and the
 * file holds the facts of their header. The bytes of a query are always the same, so an export can begin at any of
 * them; the bytes before are made again and dropped.
 */

import { Block } from '../blocks/block.ts';
import type { GapList } from '../history/gap-list.ts';
import type { TableFormat } from '../history/history-fields.ts';
import { compressFrame } from '../results/frames.ts';
import type { DaysPage, DaysRead } from '../results/settled-days.ts';
import { type ExportStudy, exportHeader } from './export-header.ts';
import { exportPages } from './export-pages.ts';
import type { PackedLines } from './table-rows.ts';
import type { TableThread } from './table-thread.ts';

export interface TableExportOptions extends ExportStudy {
  readonly format: TableFormat;
  readonly gaps?: GapList | null;
  readonly engineFingerprint: string;
  readonly account: string;
  /** The first requested byte. */
  readonly byte: number;
  readonly tables: Pick<TableThread, 'open'>;
  /** The query's results in frames; disposed of at the end. */
  open(): Promise<DaysRead>;
}

/** There is no such byte: the export has fewer. */
export class NoSuchByteError extends Error {}

export async function* exportTable(options: TableExportOptions): AsyncGenerator<Uint8Array> {
  const { query, format, engineFingerprint, account, byte, tables, gaps } = options;
  await using read = await options.open();
  const pages = exportPages(query, read);
  // Before anything is sent: an error at the start can still be reported.
  let next = await pages.next();
  const facts = factsOf(exportHeader([options], engineFingerprint, gaps));
  using table = await tables.open(account, { format, indicator: query.indicator, facts });
  const bytes = new ByteCount(byte);
  yield* bytes.wanted(table.beginning);
  for (; next.done !== true; next = await pages.next()) {
    for (const lines of await linesOf(next.value)) yield* bytes.wanted(await table.add(lines));
  }
  yield* bytes.wanted(await table.end());
  if (byte > bytes.count) throw new NoSuchByteError(`there are ${bytes.count} bytes`);
}

/** The lines of a page: its frames, and the tail that its last part may have. */
async function linesOf({ parts, frames }: DaysPage): Promise<readonly PackedLines[]> {
  const settled = { count: parts.reduce((sum, { updates }) => sum + updates, 0), frames };
  const tail = parts.at(-1)?.tail ?? null;
  if (tail === null) return settled.count > 0 ? [settled] : [];
  const forming = { count: tail.count, frames: await compressFrame(new Block(tail).text) };
  return [settled, forming].filter(({ count }) => count > 0);
}

/** Counts bytes, and drops those before the first requested one. */
class ByteCount {
  count = 0;
  readonly #wanted: number;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  *wanted(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
    for (const piece of pieces) {
      const skipped = Math.min(piece.length, Math.max(0, this.#wanted - this.count));
      this.count += piece.length;
      if (skipped < piece.length) yield piece.subarray(skipped);
    }
  }
}

/** As texts: both formats store only these. */
function factsOf(header: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(header).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts);
}
