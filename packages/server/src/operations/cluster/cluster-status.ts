/**
 * The state of a cluster for operators, read-only: its nodes from PostgreSQL, its streams and servers from NATS, and the
 * concerns about them. A server that cannot be reached is a concern too.
 */

import { type KnownNode, knownNodes } from '../../accounts/shared/known-nodes.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { askNatsTape, type NatsTapeState } from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { withMissingCounts } from '../../tape/stream/nats/nats-replicas.ts';
import {
  askNatsServers,
  type NatsServerState,
  natsServerFaults,
} from '../../tape/stream/nats/nats-servers-check.ts';
import { appending, clusterConcerns } from './cluster-concerns.ts';
import type { ClusterFacts, NodeStatus } from './cluster-facts.ts';
import { readClusterId } from './cluster-identity.ts';
import { innermost, openClusterPostgres } from './cluster-servers.ts';
import { readNodeReport, tapeIn } from './node-report.ts';

const CLIENT = 'tapeloom cluster status';

export interface DatasetStatus extends Pick<ClusterFacts, 'dataset' | 'stream' | 'objects'> {
  /** The node that appends; null: none reports that. */
  readonly appends: string | null;
  /** The latest that a live node reports, in nanoseconds since 1970; null: unknown. */
  readonly watermark: string | null;
  /** How far it is behind the clock, by the node that appends; null: unknown. */
  readonly lagMs: number | null;
  /** The state of the nodes on its tape. */
  readonly nodes: readonly Pick<NodeStatus, 'id' | 'name' | 'tape' | 'behind'>[];
}

/** The fields of `ClusterFacts` are those of the first dataset. */
export interface ClusterStatus extends ClusterFacts {
  /** The node that appends to the first dataset; null: none reports that. */
  readonly appends: string | null;
  /** All live datasets. */
  readonly datasets: readonly DatasetStatus[];
  readonly concerns: readonly string[];
}

/** At least one dataset. */
export async function clusterStatus(
  cluster: ClusterConfig,
  datasets: readonly string[],
): Promise<ClusterStatus> {
  const [register, nats] = await Promise.all([
    askRegister(cluster).catch((error: unknown) => lost(NO_REGISTER, error)),
    askNats(cluster, datasets).catch((error: unknown) => lost(NO_NATS, error)),
  ]);
  const { known, now, ...found } = register.found;
  const { servers, tapes } = nats.found;
  const all = datasets.map((dataset): ClusterFacts => {
    const { stream, objects } = tapes.get(dataset) ?? NO_TAPE;
    const nodes = known.map((node) => nodeStatus(node, dataset, now));
    const { isSyncAssured } = cluster.nats;
    return { ...found, dataset, nodes, servers, isSyncAssured, stream, objects };
  });
  const faults = [...tapes.values()].flatMap((tape) => tape.faults);
  const failures = [...register.concerns, ...nats.concerns, ...faults];
  const concerns = all.flatMap((facts) => clusterConcerns(facts, failures.length > 0));
  const statuses = all.map(datasetStatus);
  return {
    ...all[0]!,
    appends: statuses[0]!.appends,
    datasets: statuses,
    // Those about nodes and servers are the same for each dataset.
    concerns: [...new Set([...failures, ...concerns])],
  };
}

function datasetStatus(facts: ClusterFacts): DatasetStatus {
  const { dataset, stream, objects, nodes } = facts;
  const [leader] = appending(facts);
  const marks = nodes.flatMap(({ isAlive, tape }) => {
    return isAlive && tape?.watermark != null ? [BigInt(tape.watermark)] : [];
  });
  const latest = marks.reduce((a, b) => (b > a ? b : a), 0n);
  return {
    dataset,
    appends: leader?.name ?? null,
    watermark: marks.length === 0 ? null : latest.toString(),
    lagMs: leader?.tape?.lagMs ?? null,
    ...{ stream, objects },
    nodes: nodes.map(({ id, name, tape, behind }) => ({ id, name, tape, behind })),
  };
}

interface Register {
  readonly id: string | null;
  readonly known: readonly KnownNode[];
  /** By the database's clock. */
  readonly now: bigint;
  readonly mixedIndicators: readonly string[];
}

interface Nats {
  readonly servers: readonly NatsServerState[];
  /** By dataset. */
  readonly tapes: ReadonlyMap<string, NatsTapeState>;
}

interface Asked<T> {
  readonly found: T;
  readonly concerns: readonly string[];
}

const NO_REGISTER: Register = { id: null, known: [], now: 0n, mixedIndicators: [] };
const NO_TAPE: NatsTapeState = { stream: null, objects: null, faults: [] };
const NO_NATS: Nats = { servers: [], tapes: new Map() };

function lost<T>(found: T, error: unknown): Asked<T> {
  const faults = (error as { readonly faults?: readonly string[] }).faults;
  return { found, concerns: faults ?? [innermost(error)] };
}

async function askRegister(cluster: ClusterConfig): Promise<Asked<Register>> {
  await using postgres = await openClusterPostgres(cluster, 1);
  const [table] = await postgres.query<{ readonly there: boolean }>(
    "select to_regclass('cluster') is not null as there",
  );
  // Read-only: this command creates no tables.
  if (!table!.there) return { found: NO_REGISTER, concerns: [] };
  const [clock] = await postgres.query<{ now: bigint }>('select tapeloom_now() as now');
  const nodes = await knownNodes(postgres);
  return {
    found: {
      id: await readClusterId(postgres),
      known: nodes,
      now: clock!.now,
      mixedIndicators: mixedIndicators(nodes),
    },
    concerns: [],
  };
}

async function askNats({ nats }: ClusterConfig, datasets: readonly string[]): Promise<Asked<Nats>> {
  const servers = await askNatsServers(nats, CLIENT);
  const absent = servers.flatMap(({ fault }) => (fault === null ? [] : [fault.sentence]));
  const concerns = [...new Set(absent), ...natsServerFaults(servers, nats.isSyncAssured)];
  if (absent.length === servers.length) {
    return { found: { ...NO_NATS, servers }, concerns };
  }
  const connection = await connectNats(nats, CLIENT);
  try {
    const tapes = new Map<string, NatsTapeState>();
    for (const dataset of datasets) {
      const tape = await askNatsTape(connection, dataset);
      tapes.set(dataset, await withMissingCounts(nats, servers, tape));
    }
    return { found: { servers, tapes }, concerns };
  } catch (error) {
    const why = `NATS does not report its streams: ${innermost(error)}`;
    return { found: { ...NO_NATS, servers }, concerns: [...concerns, why] };
  } finally {
    await connection.close();
  }
}

function nodeStatus(node: KnownNode, dataset: string, now: bigint): NodeStatus {
  const { id, name, roles, program, isAlive, drains, renewedAt } = node;
  const { tapes, ...said } = readNodeReport(node.report);
  const tape = tapeIn(tapes, dataset);
  return {
    ...{ ...said, tape },
    ...{ id, name, roles, program, isAlive, drains },
    heardMsAgo: Number((now - renewedAt) / 1_000_000n),
    behind: tape === null ? null : Math.max(0, tape.end - tape.sequence),
  };
}

export function mixedIndicators(
  nodes: readonly Pick<KnownNode, 'isAlive' | 'computations'>[],
): readonly string[] {
  const versions = new Map<string, Set<string>>();
  for (const { isAlive, computations } of nodes) {
    if (!isAlive) continue;
    for (const [indicator, computation] of Object.entries(computations)) {
      const known = versions.get(indicator) ?? new Set();
      versions.set(indicator, known.add(computation));
    }
  }
  return [...versions].filter(([, known]) => known.size > 1).map(([indicator]) => indicator);
}
