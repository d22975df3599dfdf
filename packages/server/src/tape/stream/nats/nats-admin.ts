/**
 * The stream and the bucket of a shared tape, created once by an operator and checked before every use. Nothing is
 * created again automatically: a missing tape is a loss, not an empty tape to begin. Both carry the cluster's id.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import {
  bucketName,
  bucketStreamName,
  STREAM_SUBJECTS,
  streamName,
  subjectName,
} from './nats-names.ts';

const ASK_MS_MAX = 5_000;
const ASKED_MAX = 3;
const PEER_OFFLINE_MS = 1_000;
const STREAM_NOT_FOUND = 10_059;
const ID_KEY = 'tapeloom-cluster';
const UNLIMITED = -1;
/** The leader normally contacts a follower every second. */
const SILENT_NS = 4_000_000_000;

export interface KeptState {
  /** Its name in NATS. */
  readonly name: string;
  readonly clusterId: string | null;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly replicas: number;
  /** The server that leads it; null while there is none. */
  readonly leader: string | null;
  /** Messages that the leader has not stored and another server has; null: unknown. */
  readonly leaderMissing: number | null;
  readonly followers: readonly {
    readonly name: string;
    readonly isCurrent: boolean;
    /** Whether the leader has received nothing from it for some seconds. */
    readonly isSilent: boolean;
    /** Operations that it has not received yet. */
    readonly lag: number;
    /** Messages that it has not stored, though it may consider itself complete; null: unknown. */
    readonly missing: number | null;
  }[];
  /** The servers' Raft group, by its name on monitoring endpoints; null: a single server without replication. */
  readonly group: string | null;
}

export interface NatsTapeState {
  readonly stream: KeptState | null;
  readonly objects: KeptState | null;
  /** Faults of the configuration that rule out a tape, one sentence each. */
  readonly faults: readonly string[];
}

export interface NatsTapePlan {
  readonly dataset: string;
  readonly clusterId: string;
  readonly replicas: number;
  readonly streamBytesMax: number;
  readonly objectBytesMax: number;
}

/** Creates what is missing of both, also after an interrupted run. Rejects when one is another cluster's. */
export async function createNatsTape(
  connection: NatsConnection,
  plan: NatsTapePlan,
): Promise<void> {
  const manager = await managerOf(connection);
  const state = await askNatsTape(connection, plan.dataset);
  for (const kept of [state.stream, state.objects]) {
    if (kept !== null && kept.clusterId !== plan.clusterId)
      throw new Error(`the stream ${kept.name} already exists: it is left unchanged`);
  }
  const shared = {
    storage: StorageType.File,
    num_replicas: plan.replicas,
    discard: DiscardPolicy.New,
    retention: RetentionPolicy.Limits,
    metadata: { [ID_KEY]: plan.clusterId },
  };
  const bucket = bucketName(plan.dataset);
  if (state.objects === null) {
    const objects = {
      ...shared,
      name: bucketStreamName(plan.dataset),
      description: `Days and parts of the tape of ${plan.dataset}, named by digests`,
      subjects: [`$O.${bucket}.C.>`, `$O.${bucket}.M.>`],
      max_bytes: plan.objectBytesMax,
      allow_rollup_hdrs: true,
      allow_direct: false,
    };
    await askedAgain(() => manager.streams.add(objects));
  }
  if (state.stream === null) {
    const stream = {
      ...shared,
      name: streamName(plan.dataset),
      description: `The tape of ${plan.dataset}`,
      subjects: STREAM_SUBJECTS.map((subject) => subjectName(plan.dataset, subject)),
      max_bytes: plan.streamBytesMax,
      max_age: 0,
      deny_delete: true,
      allow_direct: false,
    };
    await askedAgain(() => manager.streams.add(stream));
  }
}

/** The state of both. Rejects without a response. */
export async function askNatsTape(
  connection: NatsConnection,
  dataset: string,
): Promise<NatsTapeState> {
  const manager = await managerOf(connection);
  return await askedAgain(() => askOnce(manager, dataset));
}

/**
 * Retries a few times, because servers that are electing or busy respond late. Repeating is safe: creating a stream
 * that exists with the same configuration, or updating it again, changes nothing.
 */
async function askedAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      const isLate = error instanceof errors.TimeoutError || isPeerOffline(error);
      if (asked === ASKED_MAX || !isLate) throw error;
      if (isPeerOffline(error)) await sleep(PEER_OFFLINE_MS);
    }
  }
}

/** A freshly started server is not known to the others at once. */
function isPeerOffline(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.message.includes('peer offline');
}

async function askOnce(manager: JetStreamManager, dataset: string): Promise<NatsTapeState> {
  const stream = await infoOf(manager, streamName(dataset));
  const objects = await infoOf(manager, bucketStreamName(dataset));
  return {
    stream: stream === null ? null : stateOf(stream),
    objects: objects === null ? null : stateOf(objects),
    faults: stream === null ? [] : [...configurationFaults(stream.config, dataset)],
  };
}

/** Raises the size limit of the stream, or of its objects, for an operator. */
export async function growNatsTape(
  connection: NatsConnection,
  dataset: string,
  bytesMax: number,
  what: 'stream' | 'objects' = 'stream',
): Promise<void> {
  const manager = await managerOf(connection);
  const name = what === 'stream' ? streamName(dataset) : bucketStreamName(dataset);
  await askedAgain(() => manager.streams.update(name, { max_bytes: bytesMax }));
}

async function managerOf(connection: NatsConnection): Promise<JetStreamManager> {
  return await jetstreamManager(connection, { timeout: ASK_MS_MAX, checkAPI: false });
}

async function infoOf(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return null;
    throw error;
  }
}

function stateOf({ config, state, cluster }: StreamInfo): KeptState {
  return {
    name: config.name,
    clusterId: config.metadata?.[ID_KEY] ?? null,
    first: Math.max(state.first_seq, 1),
    last: state.last_seq,
    bytes: state.bytes,
    bytesMax: config.max_bytes,
    replicas: config.num_replicas,
    leader: cluster?.leader ?? null,
    leaderMissing: null,
    followers: (cluster?.replicas ?? []).map(({ name, current, offline, active, lag }) => ({
      name,
      isCurrent: current,
      // NATS 2.10.27 never reports a killed server as offline.
      isSilent: offline === true || active > SILENT_NS,
      lag: lag ?? 0,
      missing: null,
    })),
    group: (cluster as { readonly raft_group?: string } | undefined)?.raft_group ?? null,
  };
}

/** Other configurations could delete unsealed messages, take back stored ones, or let writers bypass the fence. */
function* configurationFaults(config: StreamConfig, dataset: string): Generator<string> {
  const name = `stream ${config.name}`;
  const subjects = STREAM_SUBJECTS.map((subject) => subjectName(dataset, subject));
  if (config.storage !== StorageType.File) yield `${name} is not kept in files`;
  if (config.retention !== RetentionPolicy.Limits)
    yield `${name} deletes messages that were read: retention must be limits`;
  if (config.discard !== DiscardPolicy.New)
    yield `${name} deletes old messages when it is full: discard must be new`;
  if ((config.max_age ?? 0) !== 0) yield `${name} deletes old messages: max_age must be 0`;
  if (config.max_bytes <= 0) yield `${name} has no max_bytes: it would fill its servers' disks`;
  if (config.max_msgs !== UNLIMITED) yield `${name} has max_msgs: it must have none`;
  if (config.max_msgs_per_subject !== UNLIMITED) {
    yield `${name} has max_msgs_per_subject: it must have none`;
  }
  if (config.max_msg_size !== UNLIMITED) yield `${name} has max_msg_size: it must have none`;
  if (!config.deny_delete) yield `${name} allows messages to be deleted: deny_delete must be set`;
  if (config.allow_rollup_hdrs)
    yield `${name} allows messages to replace others: allow_rollup_hdrs must not be set`;
  if (config.sealed) yield `${name} is sealed: nothing can be appended`;
  if (config.mirror !== undefined || (config.sources ?? []).length > 0) {
    yield `${name} copies another stream: it must not have a source or mirror`;
  }
  if ([...config.subjects].sort().join() !== [...subjects].sort().join()) {
    yield `${name} stores ${config.subjects.join(', ')}: it must be ${subjects.join(', ')}`;
  }
}
