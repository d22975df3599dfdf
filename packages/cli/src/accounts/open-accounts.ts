/**
 * Opens the account store for a command: the cluster's if one is configured, otherwise that of the data directory. The
 * service may run meanwhile: each waits for the other's transactions, and the service is notified of changes. A command
 * never changes the schema of existing accounts, because an older service may be running on them.
 */

import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { hasAccounts } from '@tapeloom/server/accounts/store/sqlite/has-accounts';
import type { ClusterConfig } from '@tapeloom/server/config/cluster-settings';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import type { CommandIo } from '../command.ts';

/** Rejects a directory without accounts: the path is more likely mistyped than meant. */
export async function openAccounts(io: CommandIo, data: string): Promise<AccountStore> {
  const cluster = await clusterOf(io);
  if (cluster !== null) return await openShared(cluster, 'keep');
  if (hasAccounts(data)) return await openFile(data, 'keep');
  throw new Error(
    `there are no accounts in ${data}; npm start or tapeloom account create creates the first one`,
  );
}

/** Creates the store if there is none. */
export async function makeAccounts(io: CommandIo, data: string): Promise<AccountStore> {
  const cluster = await clusterOf(io);
  if (cluster !== null) return await openShared(cluster, 'create');
  if (hasAccounts(data)) return await openFile(data, 'keep');
  // A service that starts meanwhile would create the store too.
  using _lock = lockDirectory(data);
  return await openFile(data, 'create');
}

/** For commands that need the accounts' file: a cluster has none. */
export async function refuseInCluster(io: CommandIo, instead: string): Promise<void> {
  if ((await clusterOf(io)) === null) return;
  throw new Error(`the accounts of a cluster are in PostgreSQL: ${instead}`);
}

/** Without cluster settings, the other settings are not checked. */
export async function clusterOf(io: CommandIo): Promise<ClusterConfig | null> {
  const { TAPELOOM_POSTGRES_URL, TAPELOOM_CONFIG } = io.env;
  if (TAPELOOM_POSTGRES_URL === undefined && TAPELOOM_CONFIG === undefined) return null;
  const { configOf } = await import('../command-config.ts');
  return configOf(io).cluster;
}

async function openFile(data: string, schema: 'create' | 'keep'): Promise<AccountStore> {
  const { openSqliteAccountStore } = await import(
    '@tapeloom/server/accounts/store/sqlite/sqlite-account-store'
  );
  return await opened(accountsPath(data), openSqliteAccountStore(accountsPath(data), { schema }));
}

async function openShared(
  { postgres }: ClusterConfig,
  schema: 'create' | 'keep',
): Promise<AccountStore> {
  const { openPostgresAccountStore } = await import(
    '@tapeloom/server/accounts/store/postgres/postgres-account-store'
  );
  const options = { ...postgres, name: 'tapeloom command', connectionsMax: 4 };
  return await opened('the accounts of the cluster', openPostgresAccountStore(options, { schema }));
}

async function opened(what: string, opening: Promise<AccountStore>): Promise<AccountStore> {
  try {
    return await opening;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot open ${what}: ${why}`, { cause: error });
  }
}
