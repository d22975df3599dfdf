/** The servers that nodes share, as a command or a start opens them, and what keeps a cluster from being one. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { postgresAddress } from '../../config/postgres-address.ts';
import type { Postgres } from '../../platform/postgres.ts';

/** The operator's to mend; one sentence each. */
export class ClusterRefusedError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super(faults.join('\n'), { cause });
    this.faults = faults;
  }
}

/** Rejects with a sentence where it does not answer. */
export async function openClusterPostgres(
  { postgres: { url, passwordFile, caFile }, node }: ClusterConfig,
  connectionsMax?: number,
): Promise<Postgres> {
  const { openPostgres } = await import('../../platform/postgres.ts');
  const limit = connectionsMax === undefined ? {} : { connectionsMax };
  const name = `tapeloom ${node}`;
  const postgres = openPostgres({ url, passwordFile, caFile, name, ...limit });
  try {
    await postgres.query('select 1');
    return postgres;
  } catch (error) {
    await postgres[Symbol.asyncDispose]();
    throw new ClusterRefusedError([unreachable(url, error)], error);
  }
}

/** The innermost cause says most: a refused connection, a wrong password, an unknown database. */
function unreachable(url: string, error: unknown): string {
  const { host, port, user, database } = postgresAddress(url)!;
  const where = `${user} at ${host}:${port}/${database}`;
  return `TAPELOOM_POSTGRES_URL: PostgreSQL does not let us in as ${where}: ${innermost(error)}`;
}

export function innermost(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (cause instanceof AggregateError) cause = cause.errors[0];
  return cause instanceof Error ? cause.message : String(cause);
}
