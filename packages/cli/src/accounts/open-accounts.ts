/**
 * The account store of a data directory, opened by a command. The service may be running on it: each of
 * the two waits for the other's transactions, and the service hears of what was changed.
 */

import { existsSync } from 'node:fs';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { accountsPath } from '@tapeloom/server/accounts/store/accounts-path';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite-account-store';

/** A directory without accounts is refused: it is more likely mistyped than meant. */
export async function openAccounts(data: string): Promise<AccountStore> {
  if (existsSync(accountsPath(data))) return makeAccounts(data);
  throw new Error(
    `there are no accounts in ${data}; npm start makes the first one, and so does tapeloom account create`,
  );
}

/** Also where there are none yet. */
export async function makeAccounts(data: string): Promise<AccountStore> {
  const path = accountsPath(data);
  try {
    return await openSqliteAccountStore(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot open ${path}: ${why}`, { cause: error });
  }
}
