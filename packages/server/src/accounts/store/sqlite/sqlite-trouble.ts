/**
 * What errors of SQLite mean for the database, and the check of a database before use. It checks structure, not values:
 * pages that do not fit together are found, a changed digit in a sound page is not.
 */

import type { DatabaseSync } from 'node:sqlite';
import { MIB } from '@tapeloom/core/units';
import { AccountsTroubleError, type StoreTrouble } from '../account-store.ts';

/** Above this size the audit log is not checked; it is never read to recognise a caller. */
const WHOLE_CHECK_BYTES_MAX = 256 * MIB;
/** After this time no further table is checked. */
const CHECK_MS_MAX = 2_000;
const AUDIT_LOG = 'audit_log';

/** By primary result code; the higher bits only add detail. */
const TROUBLES: Readonly<Record<number, StoreTrouble>> = {
  5: 'busy', // SQLITE_BUSY
  6: 'busy', // SQLITE_LOCKED
  15: 'busy', // SQLITE_PROTOCOL
  11: 'damaged', // SQLITE_CORRUPT
  26: 'damaged', // SQLITE_NOTADB
  13: 'full', // SQLITE_FULL
  3: 'failing', // SQLITE_PERM
  7: 'failing', // SQLITE_NOMEM
  8: 'failing', // SQLITE_READONLY
  10: 'failing', // SQLITE_IOERR
  14: 'failing', // SQLITE_CANTOPEN
};

const HOW_TO_RESTORE =
  'stop the service, move the file and the files next to it (-wal, -shm) away, and restore a backup ' +
  'with tapeloom restore';

/** Null when the error means nothing for the database itself. */
export function troubleOf(error: unknown): AccountsTroubleError | null {
  if (error instanceof AccountsTroubleError) return error;
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) {
    return null;
  }
  const trouble = TROUBLES[error.errcode & 0xff];
  if (trouble === undefined) return null;
  if (trouble === 'damaged') return damaged(error.message, error);
  return new AccountsTroubleError(trouble, error.message, { cause: error });
}

export function damaged(what: string, cause?: unknown): AccountsTroubleError {
  const message = `the database is damaged: ${what}; ${HOW_TO_RESTORE}`;
  return new AccountsTroubleError('damaged', message, { cause });
}

/** Throws when the tables are inconsistent or not those of accounts. `now` returns milliseconds. */
export function checkTables(connection: DatabaseSync, now: () => number): void {
  const names = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name = ?, name")
    .all(AUDIT_LOG)
    .map(({ name }) => String(name));
  if (names.length > 0 && !names.includes('schema_version')) {
    throw damaged(`it contains tables of another program (${names[0]})`);
  }
  const began = now();
  for (const name of names) {
    if (now() - began > CHECK_MS_MAX) return;
    if (name === AUDIT_LOG && sizeOf(connection) > WHOLE_CHECK_BYTES_MAX) return;
    const [found] = connection.prepare(`PRAGMA quick_check("${name.replaceAll('"', '""')}")`).all();
    const verdict = String(found?.quick_check);
    if (verdict !== 'ok') throw damaged(verdict.replaceAll('\n', ', '));
  }
}

/** Tables with their columns, indices and triggers, each as one text. */
export function structureOf(connection: DatabaseSync): ReadonlySet<string> {
  const parts = connection
    .prepare(
      `SELECT s.type || ' ' || s.name || coalesce('.' || c.name, '') AS part
       FROM sqlite_schema AS s LEFT JOIN pragma_table_info(s.name) AS c ON s.type = 'table'`,
    )
    .all();
  return new Set(parts.map(({ part }) => String(part)));
}

function sizeOf(connection: DatabaseSync): number {
  const pages = connection.prepare('PRAGMA page_count').get()!.page_count;
  const bytes = connection.prepare('PRAGMA page_size').get()!.page_size;
  return Number(pages) * Number(bytes);
}
