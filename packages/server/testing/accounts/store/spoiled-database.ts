/** Damages a SQLite file in place, so that every connection reads noise. */

import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const PAGE_BYTES = 4_096;

/** Overwrites every page but the first, then writes through another connection, so that none trusts its cache. */
export function spoilDatabase(path: string): void {
  using outside = new DatabaseSync(path);
  outside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const file = openSync(path, 'r+');
  const noise = Buffer.alloc(PAGE_BYTES, 0xa5);
  for (let at = PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES) {
    writeSync(file, noise, 0, PAGE_BYTES, at);
  }
  closeSync(file);
  outside.exec('PRAGMA user_version = 0');
}
