/** The shared tape of a cluster, opened for a command, not as a node. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import {
  type NatsTape,
  NatsTapeError,
  openNatsTape,
} from '../../tape/stream/nats/open-nats-tape.ts';
import { readClusterId } from './cluster-identity.ts';
import { ClusterRefusedError } from './cluster-servers.ts';

export interface ClusterTape extends NatsTape {
  readonly clusterId: string;
}

/** Rejects with a `ClusterRefusedError` if there is none, or if it is another cluster's. */
export async function openClusterTape(
  { nats }: ClusterConfig,
  dataset: string,
  postgres: Pick<Postgres, 'query'>,
): Promise<ClusterTape> {
  const [table] = await postgres.query<{ readonly there: boolean }>(
    "select to_regclass('cluster') is not null as there",
  );
  const clusterId = table!.there ? await readClusterId(postgres) : null;
  if (clusterId === null) {
    throw new ClusterRefusedError([
      'there is no cluster yet: create it with tapeloom cluster init',
    ]);
  }
  try {
    const tape = await openNatsTape({ nats, dataset, client: 'tapeloom', clusterId });
    return { ...tape, clusterId };
  } catch (error) {
    if (!(error instanceof NatsTapeError)) throw error;
    throw new ClusterRefusedError(error.faults, error);
  }
}
