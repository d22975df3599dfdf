/**
 * Creates what a cluster shares, once: tables in PostgreSQL, a stream and a bucket in NATS for each live dataset, and
 * their common id. It may be repeated: parts that belong together stay, what an earlier run left undone is done, and a
 * dataset that was added gets its tape. It never overwrites anything, nor recreates what was lost.
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
import { EARLIER_DATASETS, recordedTapes, recordTape } from './cluster-tapes.ts';

export interface ClusterPlan {
  readonly cluster: ClusterConfig;
  /** At least one. */
  readonly datasets: readonly string[];
  readonly replicas: number;
  readonly streamBytesMax: number;
  readonly objectBytesMax: number;
}

export interface InitialisedTape {
  readonly dataset: string;
  /** Whether it was created. */
  readonly isNew: boolean;
  readonly replicas: number;
}

export interface InitialisedCluster {
  readonly id: string;
  /** Whether anything was created. */
  readonly isNew: boolean;
  readonly servers: readonly NatsServerState[];
  /** Of the first dataset. */
  readonly replicas: number;
  readonly datasets: readonly InitialisedTape[];
}

const CLIENT = 'tapeloom cluster init';

/** Rejects with a `ClusterRefusedError`. */
export async function initCluster(plan: ClusterPlan): Promise<InitialisedCluster> {
  const { cluster } = plan;
  const servers = await soundServers(plan, CLIENT);
  await using postgres = await openClusterPostgres(cluster);
  await prepareTables(cluster, postgres);
  const connection = await connectNats(cluster.nats, CLIENT);
  try {
    const states = await askStates(connection, plan.datasets);
    const { id, isConfirmed } = await chooseClusterId(postgres, newClusterId(randomBytes));
    const ask = (datasets: readonly string[]) => askStates(connection, datasets);
    const known = isConfirmed ? await knownTapes(postgres, id, states, ask) : NONE;
    refuse([...states].flatMap(([dataset, state]) => tapeFaults(state, id, known, dataset)));
    const tapes: InitialisedTape[] = [];
    for (const [dataset, state] of states) {
      const isNew = !known.has(dataset);
      if (isNew) await createTape(connection, plan, id, dataset);
      if (isNew) await recordTape(postgres, dataset);
      tapes.push({ dataset, isNew, replicas: state.stream?.replicas ?? plan.replicas });
    }
    await confirmClusterId(postgres);
    const isNew = tapes.some((tape) => tape.isNew);
    return { id, isNew, servers, replicas: tapes[0]!.replicas, datasets: tapes };
  } finally {
    await connection.close();
  }
}

const NONE: ReadonlySet<string> = new Set();

type States = ReadonlyMap<string, NatsTapeState>;

async function askStates(
  connection: Parameters<typeof askNatsTape>[0],
  datasets: readonly string[],
): Promise<States> {
  const states = new Map<string, NatsTapeState>();
  for (const dataset of datasets) states.set(dataset, await askNatsTape(connection, dataset));
  return states;
}

/** The datasets of a confirmed cluster that have, or had, a tape. An earlier version recorded none of them. */
async function knownTapes(
  postgres: Pick<Postgres, 'query'>,
  id: string,
  states: States,
  ask: (datasets: readonly string[]) => Promise<States>,
): Promise<ReadonlySet<string>> {
  const recorded = await recordedTapes(postgres);
  if (recorded.size > 0) return recorded;
  const all = new Map([...(await ask(EARLIER_DATASETS)), ...states]);
  const isOurs = ({ stream, objects }: NatsTapeState) =>
    [stream, objects].some((kept) => kept?.clusterId === id);
  const found = [...all].flatMap(([dataset, state]) => (isOurs(state) ? [dataset] : []));
  // None: its tape is lost, or on other servers.
  if (found.length === 0) return new Set(states.keys());
  for (const dataset of found) await recordTape(postgres, dataset);
  return new Set(found);
}

async function createTape(
  connection: Parameters<typeof createNatsTape>[0],
  plan: ClusterPlan,
  clusterId: string,
  dataset: string,
): Promise<void> {
  await createNatsTape(connection, { ...plan, dataset, clusterId }).catch((error: unknown) => {
    throw new ClusterRefusedError([notMade(plan, dataset, error)], error);
  });
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

/** Existing streams that do not belong to this cluster, and a tape that is lost. */
function tapeFaults(
  { stream, objects, faults }: NatsTapeState,
  id: string,
  known: ReadonlySet<string>,
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
  if (known.has(dataset) && kept.length < 2) {
    return [
      `PostgreSQL belongs to the cluster ${id}, but NATS has no tape of ${dataset}: either TAPELOOM_NATS_URL names other servers, or the tape is lost. No new tape was created. Start its servers again. If all of their stores are gone, tapeloom cluster rebuild creates a new stream from the directory of a node`,
    ];
  }
  return faults;
}

function notMade(plan: ClusterPlan, dataset: string, error: unknown): string {
  const why = innermost(error);
  const room = `${plan.streamBytesMax} and ${plan.objectBytesMax} bytes on ${plan.replicas} servers`;
  return `NATS does not create the stream of ${dataset} (${room}): ${why}. --stream-bytes and --object-bytes request less space; --replicas needs as many servers in one cluster`;
}
