/** What is wrong with a cluster, for operators: one sentence for each concern. */

import type { KeptState } from '../../tape/stream/nats/nats-admin.ts';
import type { NatsServerState } from '../../tape/stream/nats/nats-servers-check.ts';
import type { ClusterFacts, NodeStatus } from './cluster-facts.ts';
import { isWhole, missingConcerns } from './missing-concerns.ts';

/** A node sends a heartbeat every second; after this long without one its state is unknown. */
export const SILENT_MS = 5_000;
const BEHIND_MESSAGES = 1_000;
const LAG_MS = 5_000;
const OFFSET_MS = 500;
const FULL_SHARE = 0.8;
const REPLICAS = 3;

/** The nodes that report that they append to the dataset of these facts. */
export function appending({ nodes }: Pick<ClusterFacts, 'nodes'>): readonly NodeStatus[] {
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
  if (leading.length === 0 && alive.length > 0)
    concerns.push(`no node reports that it appends to ${facts.dataset}`);
  if (alive.length === 0 && !isPartial) concerns.push('no node runs');
  if (leading.length > 1) {
    const names = leading.map(({ name }) => name).join(' and ');
    concerns.push(
      `${names} both report that they append to ${facts.dataset}: one of them stops in a moment`,
    );
  }
  const isStreamWhole = facts.stream === null || isWhole(facts.stream);
  for (const node of alive) concerns.push(...nodeConcerns(node, facts.dataset, isStreamWhole));
  const programs = new Set(alive.map(({ program }) => program));
  if (programs.size > 1) concerns.push(`nodes run ${[...programs].sort().join(' and ')}`);
  if (facts.mixedIndicators.length > 0) {
    const names = facts.mixedIndicators.join(', ');
    concerns.push(`nodes have different versions of ${names}: their streams start again`);
  }
  return concerns;
}

function nodeConcerns(
  node: NodeStatus,
  dataset: string,
  isStreamWhole: boolean,
): readonly string[] {
  const { name, heardMsAgo, tape, behind, notReady, drains, offsetMs } = node;
  const lagMs = tape?.lagMs ?? node.lagMs;
  if (heardMsAgo >= SILENT_MS) {
    return [`${name} sent no heartbeat for ${Math.round(heardMsAgo / 1_000)} s`];
  }
  const concerns: string[] = [];
  if (drains) concerns.push(`${name} is being drained`);
  if (tape?.role === 'shrunk') {
    const remedy = isStreamWhole
      ? 'no node appends until you run tapeloom cluster repair'
      : 'it resumes by itself when the servers of the stream are complete';
    concerns.push(`${name} knows of more records than the stream of ${dataset} has: ${remedy}`);
  }
  if (tape?.role === 'refused')
    concerns.push(`${name} reports that the stream of ${dataset} accepts no more records`);
  const damaged = tape?.daysDamaged ?? [];
  if (damaged.length > 0) {
    const days = damaged.map(({ symbol, day }) => `${symbol} ${day}`).join(', ');
    concerns.push(`sealed days of ${name} are damaged or missing, and are fetched again: ${days}`);
  }
  if (behind !== null && behind > BEHIND_MESSAGES) {
    concerns.push(`${name} is ${behind.toLocaleString('en')} messages of ${dataset} behind`);
  } else if (lagMs !== null && lagMs > LAG_MS) {
    concerns.push(`${dataset} on ${name} is ${Math.round(lagMs / 1_000)} s behind the clock`);
  }
  if (notReady !== null && !drains) concerns.push(`${name} is not ready: ${notReady}`);
  if (Math.abs(offsetMs) >= OFFSET_MS) {
    const side = offsetMs > 0 ? 'behind' : 'ahead of';
    concerns.push(`the clock of ${name} is ${Math.abs(offsetMs)} ms ${side} PostgreSQL's`);
  }
  return concerns;
}
