/** Whether a data directory has accounts: a file that is missing, empty or without a table holds none. */

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { accountsPath } from './accounts-path.ts';

const BUSY_TIMEOUT_MS = 5_000;

export function hasAccounts(dataDirectory: string): boolean {
  const path = accountsPath(dataDirectory);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return database.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
    } finally {
      database.close();
    }
  } catch {
    // The file exists; opening it will show what is wrong with it.
    return true;
  }
}
