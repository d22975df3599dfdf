/** Changes the secret behind export tokens, for all nodes of a cluster. */

import { randomBytes } from 'node:crypto';
import {
  changeSharedSecret,
  replaceSharedSecret,
  SecretIsNewError,
} from '../../accounts/shared/shared-secrets.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { readClusterId } from './cluster-identity.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { EXPORT_SECRET } from './export-secret-name.ts';

/** `isLeaked`: existing tokens end at once, not with the next change. */
export async function changeSecret(cluster: ClusterConfig, isLeaked: boolean): Promise<void> {
  await using postgres = await openClusterPostgres(cluster, 1);
  const [table] = await postgres.query<{ readonly isThere: boolean }>(
    `select to_regclass('cluster') is not null as "isThere"`,
  );
  if (!table!.isThere || (await readClusterId(postgres)) === null) {
    throw new ClusterRefusedError([
      'the database of TAPELOOM_POSTGRES_URL belongs to no cluster yet: create one with `tapeloom cluster init`',
    ]);
  }
  const change = isLeaked ? replaceSharedSecret : changeSharedSecret;
  try {
    await change(EXPORT_SECRET, { postgres, random: randomBytes });
  } catch (error) {
    if (!(error instanceof SecretIsNewError)) throw error;
    throw new ClusterRefusedError([`the secret was not changed: ${error.message}`], error);
  }
}
