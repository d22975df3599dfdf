/** The contents of a copy of the accounts, read without leaving files beside it. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const TABLES = { accounts: 'accounts', keys: 'keys', auditEvents: 'audit_log' } as const;

export type BackupContents = Readonly<Record<keyof typeof TABLES | 'bytes', number>>;

/** `copy` was made by `backupAccounts` and has no writer. */
export function backupContents(copy: string): BackupContents {
  const address = pathToFileURL(resolve(copy));
  address.search = 'immutable=1';
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    const count = (table: string) =>
      Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!.rows);
    return {
      accounts: count(TABLES.accounts),
      keys: count(TABLES.keys),
      auditEvents: count(TABLES.auditEvents),
      bytes: statSync(copy).size,
    };
  } finally {
    database.close();
  }
}
