/**
 * Creates what a cluster shares, once: tables in PostgreSQL, the stream and the bucket in NATS, and their common id. It
 * may be repeated: parts that belong together stay, and what an earlier run left undone is done. It never overwrites
 * anything, nor recreates what was lost.
 */

import { randomBytes } from 'node:crypto';
import { prepareSharedTables } from '../../accounts/shared/shared-tables.ts';
import { openPostgresAccountStore } from '../../accounts/store/postgres/postgres-account-store.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import {
  askNatsTape,
  createNatsTape,
  type NatsTapeState,
} from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import {
  askNatsServers,
  type NatsServerState,
  natsServerFaults,
} from '../../tape/stream/nats/nats-servers-check.ts';
import { chooseClusterId, confirmClusterId, newClusterId } from './cluster-identity.ts';
import { ClusterRefusedError, innermost, openClusterPostgres } from './cluster-servers.ts';

export interface ClusterPlan {
  readonly cluster: ClusterConfig;
  readonly dataset: string;
  readonly replicas: number;
  readonly streamBytesMax: number;
  readonly objectBytesMax: number;
}

export interface InitialisedCluster {
  readonly id: string;
  /** Whether anything was created. */
  readonly isNew: boolean;
  readonly servers: readonly NatsServerState[];
  readonly replicas: number;
}

const CLIENT = 'tapeloom cluster init';

/** Rejects with a `ClusterRefusedError`. */
export async function initCluster(plan: ClusterPlan): Promise<InitialisedCluster> {
  const { cluster, dataset } = plan;
  const servers = await soundServers(plan, CLIENT);
  await using postgres = await openClusterPostgres(cluster);
  await prepareTables(cluster, postgres);
  const connection = await connectNats(cluster.nats, CLIENT);
  try {
    const state = await askNatsTape(connection, dataset);
    const { id, isConfirmed } = await chooseClusterId(postgres, newClusterId(randomBytes));
    refuse(foreignFaults(state, id, isConfirmed, dataset));
    if (isConfirmed) return { id, isNew: false, servers, replicas: state.stream!.replicas };
    await createNatsTape(connection, { ...plan, clusterId: id }).catch((error: unknown) => {
      throw new ClusterRefusedError([notMade(plan, error)], error);
    });
    await confirmClusterId(postgres);
    return { id, isNew: true, servers, replicas: plan.replicas };
  } finally {
    await connection.close();
  }
}

/** All configured servers, if each can hold a tape. */
export async function soundServers(
  plan: ClusterPlan,
  client: string,
): Promise<readonly NatsServerState[]> {
  const servers = await askNatsServers(plan.cluster.nats, client);
  refuse(serverFaults(servers, plan));
  return servers;
}

/** The account store creates its own tables. */
async function prepareTables({ postgres: address }: ClusterConfig, postgres: Postgres) {
  await using _accounts = await openPostgresAccountStore(address, { schema: 'create' });
  await prepareSharedTables(postgres);
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ClusterRefusedError(faults);
}

/** All must be reachable: one that is absent may be the one that does not sync. */
function serverFaults(
  servers: readonly NatsServerState[],
  { cluster, replicas }: ClusterPlan,
): readonly string[] {
  const absent = servers.flatMap(({ fault }) => (fault === null ? [] : [fault.sentence]));
  const there = new Set(servers.flatMap(({ name }) => (name === null ? [] : [name])));
  const few =
    absent.length > 0 || there.size >= replicas
      ? []
      : [
          `TAPELOOM_NATS_URL names ${there.size} of the ${replicas} servers that ${replicas} replicas need. Name all of them, or use --replicas 1, with which the tape is lost if its machine is lost`,
        ];
  return [...new Set(absent), ...few, ...natsServerFaults(servers, cluster.nats.isSyncAssured)];
}

/** Existing streams that do not belong to this cluster. */
function foreignFaults(
  { stream, objects, faults }: NatsTapeState,
  id: string,
  isConfirmed: boolean,
  dataset: string,
): readonly string[] {
  const kept = [stream, objects].filter((it) => it !== null);
  const others = kept.filter(({ clusterId }) => clusterId !== id);
  if (others.length > 0) {
    return others.map(({ name, clusterId }) => {
      const whose = clusterId === null ? 'which was not created by init' : `of ${clusterId}`;
      return `NATS already has ${name}, ${whose}, but PostgreSQL belongs to ${id}. Check whether TAPELOOM_POSTGRES_URL or TAPELOOM_NATS_URL is that of another cluster. Nothing was changed`;
    });
  }
  if (isConfirmed && kept.length < 2) {
    return [
      `PostgreSQL belongs to the cluster ${id}, but NATS has no tape of ${dataset}: either TAPELOOM_NATS_URL names other servers, or the tape is lost. No new tape was created. Start its servers again. If all of their stores are gone, tapeloom cluster rebuild creates a new stream from the directory of a node`,
    ];
  }
  return faults;
}

function notMade(plan: ClusterPlan, error: unknown): string {
  const why = innermost(error);
  const room = `${plan.streamBytesMax} and ${plan.objectBytesMax} bytes on ${plan.replicas} servers`;
  return `NATS does not create the stream of ${plan.dataset} (${room}): ${why}. --stream-bytes and --object-bytes request less space; --replicas needs as many servers in one cluster`;
}
