/** Reads a query page by page as text, with counts; stops at the requested number of results. */

import type { TapeloomClient } from '@tapeloom/client';
import type { CommandIo } from '../command.ts';
import type { DataField } from '../entries/data-fields.ts';
import type { EntryFormat } from '../entries/entry-format.ts';
import { type EntryText, entryText } from '../entries/entry-text.ts';
import type { TextSink, Written } from '../entries/text-sink.ts';
import { entryOf } from './client-entry.ts';
import { unitsText } from './cost-question.ts';
import type { HistoryQuery } from './history-query.ts';
import { NOTHING, TransferProgress } from './transfer-progress.ts';

/** The largest page: fewer requests are better. */
const PAGE_RESULTS_MAX = 10_000;

export interface HistoryToRead {
  readonly query: HistoryQuery & { readonly snapshot?: true };
  readonly resultsMax: number | null;
  readonly format: EntryFormat;
  readonly fields: readonly DataField[];
  /** The cost of the whole query. */
  readonly computeUnits: number;
  readonly isQuiet: boolean;
}

export interface HistoryRead extends Written {
  readonly contract: string;
  readonly tickSizeNanos: number;
  /** Results: objects and removals. */
  readonly objects: number;
  readonly computeUnits: number;
  readonly seconds: number;
}

export async function readHistory(
  client: TapeloomClient,
  wanted: HistoryToRead,
  sink: TextSink,
  io: CommandIo,
): Promise<HistoryRead> {
  const { query, format, fields, isQuiet } = wanted;
  const resultsMax = wanted.resultsMax ?? Number.POSITIVE_INFINITY;
  const progress = new TransferProgress(io, { ...NOTHING, bytes: null }, { isQuiet });
  const read = { contract: '', tickSizeNanos: 0, objects: 0, computeUnits: 0 };
  let text: EntryText | null = null;
  try {
    const limit = pageResults(wanted.resultsMax);
    for await (const page of client.history({ ...query, limit, signal: io.signal }).pages()) {
      read.contract = page.contract;
      read.tickSizeNanos = page.tickSizeNanos;
      read.computeUnits += page.computeUnits;
      text ??= entryText(format, fields, page.tickSizeNanos);
      const items = page.items.slice(0, resultsMax - read.objects);
      for (const item of items) sink.write(text.add(entryOf(item)));
      await io.drained?.();
      read.objects += items.length;
      if (read.objects >= resultsMax) break;
      const done = wanted.computeUnits === 0 ? 0 : read.computeUnits / wanted.computeUnits;
      const fraction = Math.min(1, Math.max(done, read.objects / resultsMax));
      progress.show(() => ({ objects: read.objects, bytes: null, fraction }));
    }
    if (text !== null) sink.write(text.end());
    return { ...read, ...sink.finish(), seconds: Number(progress.seconds.toFixed(3)) };
  } catch (error) {
    progress.erase();
    if (read.computeUnits > 0) {
      io.stderr(`Stopped. The results read so far cost ${unitsText(read.computeUnits)}.\n`);
    }
    throw error;
  } finally {
    progress.erase();
  }
}

/** Splits the limit into pages of equal size: a partly used last page would be charged in full. */
function pageResults(resultsMax: number | null): number {
  if (resultsMax === null) return PAGE_RESULTS_MAX;
  return Math.ceil(resultsMax / Math.ceil(resultsMax / PAGE_RESULTS_MAX));
}
