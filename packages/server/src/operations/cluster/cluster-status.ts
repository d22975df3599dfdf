/**
 * The state of a cluster for operators, read-only: its nodes from PostgreSQL, its stream and servers from NATS, and the
 * concerns about them. A server that cannot be reached is a concern too.
 */

import { type KnownNode, knownNodes } from '../../accounts/shared/known-nodes.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import {
  askNatsTape,
  type KeptState,
  type NatsTapeState,
} from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { withMissingCounts } from '../../tape/stream/nats/nats-replicas.ts';
import {
  askNatsServers,
  type NatsServerState,
  natsServerFaults,
} from '../../tape/stream/nats/nats-servers-check.ts';
import { readClusterId } from './cluster-identity.ts';
import { innermost, openClusterPostgres } from './cluster-servers.ts';
import { isWhole, missingConcerns } from './missing-concerns.ts';
import { type NodeSelf, readNodeReport, tapeIn } from './node-report.ts';

/** A node sends a heartbeat every second; after this long without one its state is unknown. */
export const SILENT_MS = 5_000;
const BEHIND_MESSAGES = 1_000;
const LAG_MS = 5_000;
const OFFSET_MS = 500;
const FULL_SHARE = 0.8;
const REPLICAS = 3;
const CLIENT = 'tapeloom cluster status';

export interface NodeStatus extends Omit<NodeSelf, 'tapes'> {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly program: string;
  readonly isAlive: boolean;
  readonly drains: boolean;
  /** Since its last heartbeat, by the database's clock. */
  readonly heardMsAgo: number;
  /** Its state on the dataset's tape; null: not reported. */
  readonly tape: SharedTapeReport | null;
  /** Messages that it has not processed; null: not reported. */
  readonly behind: number | null;
  readonly offsetMs: number;
}

export interface ClusterFacts {
  /** Null: the cluster was not created. */
  readonly id: string | null;
  readonly dataset: string;
  readonly nodes: readonly NodeStatus[];
  readonly servers: readonly NatsServerState[];
  readonly isSyncAssured: boolean;
  readonly stream: KeptState | null;
  readonly objects: KeptState | null;
  /** Indicators that live nodes have in several versions. */
  readonly mixedIndicators: readonly string[];
}

export interface ClusterStatus extends ClusterFacts {
  /** The node that appends; null: none reports that. */
  readonly appends: string | null;
  readonly concerns: readonly string[];
}

export async function clusterStatus(
  cluster: ClusterConfig,
  dataset: string,
): Promise<ClusterStatus> {
  const [register, nats] = await Promise.all([
    askRegister(cluster, dataset).catch((error: unknown) => lost(NO_REGISTER, error)),
    askNats(cluster, dataset).catch((error: unknown) => lost(NO_NATS, error)),
  ]);
  const { tape, ...others } = nats.found;
  const facts: ClusterFacts = {
    ...register.found,
    ...others,
    dataset,
    stream: tape.stream,
    objects: tape.objects,
    isSyncAssured: cluster.nats.isSyncAssured,
  };
  const failures = [...register.concerns, ...nats.concerns, ...tape.faults];
  return {
    ...facts,
    appends: appending(facts)[0]?.name ?? null,
    concerns: [...failures, ...clusterConcerns(facts, failures.length > 0)],
  };
}

interface Register {
  readonly id: string | null;
  readonly nodes: readonly NodeStatus[];
  readonly mixedIndicators: readonly string[];
}

interface Nats {
  readonly servers: readonly NatsServerState[];
  readonly tape: NatsTapeState;
}

interface Asked<T> {
  readonly found: T;
  readonly concerns: readonly string[];
}

const NO_REGISTER: Register = { id: null, nodes: [], mixedIndicators: [] };
const NO_NATS: Nats = { servers: [], tape: { stream: null, objects: null, faults: [] } };

function lost<T>(found: T, error: unknown): Asked<T> {
  const faults = (error as { readonly faults?: readonly string[] }).faults;
  return { found, concerns: faults ?? [innermost(error)] };
}

async function askRegister(cluster: ClusterConfig, dataset: string): Promise<Asked<Register>> {
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
      nodes: nodes.map((node) => nodeStatus(node, dataset, clock!.now)),
      mixedIndicators: mixedIndicators(nodes),
    },
    concerns: [],
  };
}

async function askNats({ nats }: ClusterConfig, dataset: string): Promise<Asked<Nats>> {
  const servers = await askNatsServers(nats, CLIENT);
  const absent = servers.flatMap(({ fault }) => (fault === null ? [] : [fault.sentence]));
  const concerns = [...new Set(absent), ...natsServerFaults(servers, nats.isSyncAssured)];
  if (absent.length === servers.length) {
    return { found: { ...NO_NATS, servers }, concerns };
  }
  const connection = await connectNats(nats, CLIENT);
  try {
    const tape = await askNatsTape(connection, dataset);
    return { found: { servers, tape: await withMissingCounts(nats, servers, tape) }, concerns };
  } catch (error) {
    const why = `NATS does not report its stream: ${innermost(error)}`;
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

function appending({ nodes }: ClusterFacts): readonly NodeStatus[] {
  return nodes.filter(({ isAlive, heardMsAgo, tape }) => {
    return isAlive && heardMsAgo < SILENT_MS && tape?.role === 'leading';
  });
}

/** `isPartial`: some server did not respond, so what is missing may be there. */
export function clusterConcerns(facts: ClusterFacts, isPartial = false): readonly string[] {
  const { id, stream, objects } = facts;
  if (id === null && !isPartial) {
    return ['there is no cluster yet: create it with tapeloom cluster init'];
  }
  const concerns: string[] = [];
  if (!isPartial && (stream === null || objects === null)) {
    concerns.push(`NATS has no tape of ${facts.dataset}: it is lost, or on other servers`);
  }
  const isThere = whoIsThere(facts.servers);
  for (const kept of [stream, objects]) {
    if (kept !== null) concerns.push(...keptConcerns(kept, id, isThere));
  }
  if (facts.isSyncAssured) {
    concerns.push('the syncing of NATS is not checked, because TAPELOOM_NATS_SYNC is assured');
  }
  return [...concerns, ...nodesConcerns(facts, isPartial)];
}

/** By name. If all configured servers respond, others are assumed to be there. */
function whoIsThere(servers: readonly NatsServerState[]): (name: string) => boolean {
  const names = servers.map(({ name }) => name);
  return (name) => !names.includes(null) || names.includes(name);
}

function keptConcerns(
  kept: KeptState,
  id: string | null,
  isThere: (server: string) => boolean,
): readonly string[] {
  const { name, clusterId, replicas, leader, followers, bytes, bytesMax } = kept;
  const concerns: string[] = [];
  if (id !== null && clusterId !== id) {
    concerns.push(`${name} belongs to ${clusterId ?? 'no cluster'}, but PostgreSQL to ${id}`);
  }
  if (replicas < REPLICAS) {
    const what = replicas === 1 ? 'one replica' : `${replicas} replicas`;
    concerns.push(`${name} has ${what}: it is lost if that machine is lost`);
  }
  if (replicas > 1 && leader === null) concerns.push(`${name} has no leader: nothing is stored`);
  concerns.push(...missingConcerns(kept));
  for (const { name: server, isCurrent, isSilent, lag } of followers) {
    if (isSilent || !isThere(server))
      concerns.push(`${name} is under-replicated: ${server} is away`);
    else if (!isCurrent) {
      concerns.push(`${name} is under-replicated: ${server} is missing ${lag} operations`);
    }
  }
  if (bytesMax > 0 && bytes > FULL_SHARE * bytesMax) {
    concerns.push(`${name} is ${Math.round((100 * bytes) / bytesMax)} % full`);
  }
  return concerns;
}

function nodesConcerns(facts: ClusterFacts, isPartial: boolean): readonly string[] {
  const alive = facts.nodes.filter(({ isAlive }) => isAlive);
  const leading = appending(facts);
  const concerns: string[] = [];
  if (leading.length === 0 && alive.length > 0) concerns.push('no node reports that it appends');
  if (alive.length === 0 && !isPartial) concerns.push('no node runs');
  if (leading.length > 1) {
    const names = leading.map(({ name }) => name).join(' and ');
    concerns.push(`${names} both report that they append: one of them stops in a moment`);
  }
  const isStreamWhole = facts.stream === null || isWhole(facts.stream);
  for (const node of alive) concerns.push(...nodeConcerns(node, isStreamWhole));
  const programs = new Set(alive.map(({ program }) => program));
  if (programs.size > 1) concerns.push(`nodes run ${[...programs].sort().join(' and ')}`);
  if (facts.mixedIndicators.length > 0) {
    const names = facts.mixedIndicators.join(', ');
    concerns.push(`nodes have different versions of ${names}: their streams start again`);
  }
  return concerns;
}

function nodeConcerns(node: NodeStatus, isStreamWhole: boolean): readonly string[] {
  const { name, heardMsAgo, tape, behind, lagMs, notReady, drains, offsetMs } = node;
  if (heardMsAgo >= SILENT_MS) {
    return [`${name} sent no heartbeat for ${Math.round(heardMsAgo / 1_000)} s`];
  }
  const concerns: string[] = [];
  if (drains) concerns.push(`${name} is being drained`);
  if (tape?.role === 'shrunk') {
    const remedy = isStreamWhole
      ? 'no node appends until you run tapeloom cluster repair'
      : 'it resumes by itself when the servers of the stream are complete';
    concerns.push(`${name} knows of more records than the stream has: ${remedy}`);
  }
  if (tape?.role === 'refused')
    concerns.push(`${name} reports that the stream accepts no more records`);
  const damaged = tape?.daysDamaged ?? [];
  if (damaged.length > 0) {
    const days = damaged.map(({ symbol, day }) => `${symbol} ${day}`).join(', ');
    concerns.push(`sealed days of ${name} are damaged or missing, and are fetched again: ${days}`);
  }
  if (behind !== null && behind > BEHIND_MESSAGES) {
    concerns.push(`${name} is ${behind.toLocaleString('en')} messages behind`);
  } else if (lagMs !== null && lagMs > LAG_MS) {
    concerns.push(`the tape of ${name} is ${Math.round(lagMs / 1_000)} s behind the clock`);
  }
  if (notReady !== null && !drains) concerns.push(`${name} is not ready: ${notReady}`);
  if (Math.abs(offsetMs) >= OFFSET_MS) {
    const side = offsetMs > 0 ? 'behind' : 'ahead of';
    concerns.push(`the clock of ${name} is ${Math.abs(offsetMs)} ms ${side} PostgreSQL's`);
  }
  return concerns;
}
