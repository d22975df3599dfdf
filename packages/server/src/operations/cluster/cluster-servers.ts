/** Opens the servers that nodes share, for a command or a start; and the error of an unusable cluster. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { innermostError } from '../../platform/network/certificate-fault.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { postgresFault } from './postgres-fault.ts';

/** For the operator to fix; one sentence each. */
export class ClusterRefusedError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super(faults.join('\n'), { cause });
    this.faults = faults;
  }
}

/** Rejects with a sentence if the server does not respond. */
export async function openClusterPostgres(
  { postgres: place, node }: ClusterConfig,
  connectionsMax?: number,
): Promise<Postgres> {
  const { openPostgres } = await import('../../platform/postgres/postgres.ts');
  const limit = connectionsMax === undefined ? {} : { connectionsMax };
  const name = `tapeloom ${node}`;
  let postgres: Postgres | null = null;
  try {
    postgres = openPostgres({ ...place, name, ...limit });
    await postgres.query('select 1');
    return postgres;
  } catch (error) {
    await postgres?.[Symbol.asyncDispose]();
    throw new ClusterRefusedError([postgresFault(place, error).sentence], error);
  }
}

export function innermost(error: unknown): string {
  const cause = innermostError(error);
  return cause instanceof Error ? cause.message : String(cause);
}
