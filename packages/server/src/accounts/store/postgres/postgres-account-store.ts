/** The account store on PostgreSQL, for all nodes of a cluster. This file is loaded only where that is configured. */

import type { PostgresOptions } from '../../../platform/postgres/postgres.ts';
import type { AccountStore } from '../account-store.ts';
import { openSqlAccountStore, type SqlAccountStoreOptions } from '../sql-account-store.ts';
import { openPostgresDatabase } from './postgres-database.ts';

export async function openPostgresAccountStore(
  postgres: PostgresOptions,
  options?: SqlAccountStoreOptions,
): Promise<AccountStore> {
  return await openSqlAccountStore(openPostgresDatabase(postgres), options);
}
