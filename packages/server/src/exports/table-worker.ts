/** The thread that writes tables: one message after another, so exports take turns piece by piece. */

import { parentPort } from 'node:worker_threads';
import type { FromTableThread, ToTableThread } from './table-wire.ts';
import { TableWriter } from './table-writer.ts';

const parent = parentPort!;
const tables = new Map<number, TableWriter>();

parent.on('message', (message: ToTableThread) => {
  const { t, table } = message;
  if (t === 'close') {
    tables.delete(table);
    return;
  }
  try {
    const pieces = piecesOf(message);
    send(
      { t: 'bytes', table, pieces },
      pieces.map(({ buffer }) => buffer),
    );
  } catch (error) {
    tables.delete(table);
    send({ t: 'failed', table, error }, []);
  }
});

function piecesOf(
  message: Exclude<ToTableThread, { readonly t: 'close' }>,
): Uint8Array<ArrayBuffer>[] {
  if (message.t === 'open') {
    const opened = new TableWriter(message.spec);
    tables.set(message.table, opened);
    return [opened.begin()];
  }
  const writer = tables.get(message.table);
  if (writer === undefined) throw new RangeError(`no table ${message.table} is open`);
  return message.t === 'add' ? writer.add(message.block) : writer.end();
}

function send(message: FromTableThread, moves: readonly ArrayBuffer[]): void {
  parent.postMessage(message, [...moves]);
}
