/** Damages a SQLite file in place, for tests: whoever has it open, or opens it, meets noise. */

import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const PAGE_BYTES = 4_096;

/** Every page but the first becomes noise; then another writes, so that nobody trusts his memory of it. */
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
