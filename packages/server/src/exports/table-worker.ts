/** The thread that writes tables: one call after another, so exports alternate piece by piece. */

import { parentPort } from 'node:worker_threads';
import { collectAtRest, collectGarbage } from '../platform/memory/collect-garbage.ts';
import { reasonOf } from '../platform/refusal.ts';
import { runInBackground } from '../platform/threads/background-thread.ts';
import { ThreadDesk } from '../platform/threads/thread-desk.ts';
import type { Pieces, TableShape } from './table-wire.ts';
import { TableWriter } from './table-writer.ts';

/** Lines that fill no group leave little garbage: it is collected when the thread is idle. */
const COLLECT_EVERY_MS = 5_000;

runInBackground();
const desk = new ThreadDesk<TableShape>(parentPort!);
const tables = new Map<number, TableWriter>();
let pieces = 0;

desk.open({
  calls: {
    open: (table, spec) => {
      const opened = new TableWriter(spec);
      tables.set(table, opened);
      return [opened.begin()];
    },
    add: (table, lines) => written(table, (writer) => writer.add(lines)),
    end: (table) => written(table, (writer) => writer.end()),
  },
  obey: ({ table }) => tables.delete(table),
  refusalOf: (error) => {
    desk.tell({ t: 'fault', error });
    return reasonOf(error);
  },
  movesMemory: true,
});
collectAtRest(COLLECT_EVERY_MS, () => pieces);

function written(table: number, write: (writer: TableWriter) => Pieces): Pieces {
  pieces += 1;
  const writer = tables.get(table);
  if (writer === undefined) throw new RangeError(`no table ${table} is open`);
  try {
    const written = write(writer);
    // A group of rows leaves tens of megabytes. They go before the next group comes.
    if (written.length > 0) collectGarbage();
    return written;
  } catch (error) {
    tables.delete(table);
    throw error;
  }
}
