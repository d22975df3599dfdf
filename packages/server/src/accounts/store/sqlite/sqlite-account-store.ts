/** The account store on SQLite, in the calling thread. A serving process uses `AccountsHandle` instead. */

import type { AccountStore } from '../account-store.ts';
import { openSqlAccountStore, type SqlAccountStoreOptions } from '../sql-account-store.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/** `path` of the file (made if it is missing), or `:memory:`. */
export async function openSqliteAccountStore(
  path: string,
  options?: SqlAccountStoreOptions,
): Promise<AccountStore> {
  return await openSqlAccountStore(openSqliteDatabase(path), options);
}
