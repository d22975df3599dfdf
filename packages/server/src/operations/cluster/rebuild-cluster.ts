/**
 * Rebuilds the tapes of a cluster whose NATS servers lost everything, from nodes' directories, in new streams. The
 * result is a new cluster with the same accounts. Directories of other nodes are rejected until emptied, since the new
 * stream does not have their sequence numbers. Earlier cursors end, since some may lie beyond what is left. It may be
 * interrupted and repeated: the new id follows from the old one, and PostgreSQL is updated last.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { type KnownNode, knownNodes } from '../../accounts/shared/known-nodes.ts';
import { prepareSharedTables } from '../../accounts/shared/shared-tables.ts';
import { lockDirectory } from '../../platform/disk/directory-lock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { createClock } from '../../platform/system-clock.ts';
import {
  compareEnds,
  type DirectoryEnd,
  directoryEnd,
} from '../../tape/shared/log/directory-end.ts';
import { giveUpHalfSealed, isSealed } from '../../tape/shared/log/recover-copy.ts';
import { clusterOf } from '../../tape/shared/shared-directory.ts';
import { askNatsTape, createNatsTape } from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { openNatsTape } from '../../tape/stream/nats/open-nats-tape.ts';
import { TapeManifest } from '../../tape/tape-manifest.ts';
import { dayOfFile, logDirectory, logPath } from '../../tape/tape-paths.ts';
import { recoverUnsynced } from '../../tape/write/log/log-recovery.ts';
import type { ListedSymbols } from '../../tape/write/sequencer/listed-on.ts';
import { formatEpochs, withComputations } from '../../topics/epoch-floors.ts';
import { readClusterId } from './cluster-identity.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { forgetTape } from './cluster-tapes.ts';
import { type ClusterPlan, soundServers } from './init-cluster.ts';
import { requireNobody } from './move-data.ts';
import { type MovedTape, moveTapeIn, type TapePlace } from './move-tape-in.ts';
import { readNodeReport, tapeIn } from './node-report.ts';

const CLIENT = 'tapeloom cluster rebuild';
const ID_DIGITS = 24;

export interface RebuildPlan extends ClusterPlan, Pick<TapePlace, 'onProgress'> {
  /** The contracts of a dataset. */
  readonly listed: (dataset: string) => ListedSymbols;
  /** Directories of nodes; the one with the most of the tape is used. */
  readonly directories: readonly string[];
  /** Continue without what is known to be missing. */
  readonly isLossAccepted: boolean;
}

export interface RebuiltTape {
  readonly dataset: string;
  /** The directory that was used. */
  readonly data: string;
  readonly tape: MovedTape;
}

/** `data` and `tape` are those of the first dataset. */
export interface RebuiltCluster extends Omit<RebuiltTape, 'dataset'> {
  readonly id: string;
  readonly datasets: readonly RebuiltTape[];
}

/** The plan for one of the datasets. */
type TapePlan = Omit<RebuildPlan, 'datasets' | 'listed'> & {
  readonly dataset: string;
  readonly listed: ListedSymbols;
};

interface Source {
  readonly data: string;
  readonly tapeRoot: string;
  readonly end: DirectoryEnd;
  readonly cluster: string;
}

/** Rejects with a `ClusterRefusedError`. */
export async function rebuildCluster(plan: RebuildPlan): Promise<RebuiltCluster> {
  const { cluster, datasets } = plan;
  await soundServers(plan, CLIENT);
  await using postgres = await openClusterPostgres(cluster, 1);
  const old = await knownCluster(postgres);
  const id = successor(old);
  await requireNobody(postgres);
  const plans = datasets.map((dataset): TapePlan => {
    return { ...plan, dataset, listed: plan.listed(dataset) };
  });
  for (const one of plans) await refuseKept(one, old, id);
  const sources = await newestOfAll(plans, [old, id]);
  if (sources.size === 0)
    throw new ClusterRefusedError(plans.map(({ dataset }) => noTape(dataset)));
  using locked = new DisposableStack();
  for (const data of new Set(Array.from(sources.values(), (source) => source.data))) {
    locked.use(lockDirectory(data));
  }
  for (const [one, source] of sources) {
    // If it already belongs to the new cluster, only PostgreSQL is still to be updated.
    const isChecked = source.cluster === old && !plan.isLossAccepted;
    if (isChecked) await requireWhole(one, source, postgres);
  }
  const rebuilt: RebuiltTape[] = [];
  for (const [one, source] of sources) {
    const tape = await rebuildTape(one, source, { old, id });
    rebuilt.push({ dataset: one.dataset, data: source.data, tape });
  }
  const without = plans.filter((one) => !sources.has(one));
  // `tapeloom cluster init` may create an empty one.
  if (without.length > 0) await prepareSharedTables(postgres);
  for (const { dataset } of without) await forgetTape(postgres, dataset);
  // The nodes' reports were about the old streams.
  await postgres.query('delete from nodes');
  await postgres.query('update cluster set id = $1 where id = $2', [id, old]);
  const { data, tape } = rebuilt[0]!;
  return { id, data, tape, datasets: rebuilt };
}

async function rebuildTape(
  plan: TapePlan,
  { tapeRoot, cluster: known }: Source,
  { old, id }: { readonly old: string; readonly id: string },
): Promise<MovedTape> {
  const { cluster, dataset } = plan;
  await makeStreams(plan, id);
  if (known === old) await standReady(tapeRoot, dataset);
  const disk = new NodeDisk();
  const floors = await everyCursorEnds(plan, tapeRoot);
  await using nats = await openNatsTape({
    ...{ nats: cluster.nats, dataset, client: CLIENT, clusterId: id },
  });
  return await moveTapeIn({ ...plan, disk, tapeRoot, floors }, { ...nats, clusterId: id });
}

async function knownCluster(postgres: Pick<Postgres, 'query'>): Promise<string> {
  const [table] = await postgres.query<{ readonly there: boolean }>(
    "select to_regclass('cluster') is not null as there",
  );
  const id = table!.there ? await readClusterId(postgres) : null;
  if (id !== null) return id;
  throw new ClusterRefusedError([
    'PostgreSQL knows of no cluster whose tape could be lost. If its dump is to be restored, do that first; otherwise create a new one with tapeloom cluster init',
  ]);
}

function successor(id: string): string {
  const digest = createHash('sha256').update(`after ${id}`).digest('hex');
  return `cluster_${digest.slice(0, ID_DIGITS)}`;
}

/** A directory that has none of the datasets of these clusters is not a node's. */
async function newestOfAll(
  plans: readonly TapePlan[],
  clusters: readonly string[],
): Promise<ReadonlyMap<TapePlan, Source>> {
  const disk = new NodeDisk();
  const found = new Map<TapePlan, Source[]>(plans.map((plan) => [plan, []]));
  const foreign: string[] = [];
  for (const data of plans[0]!.directories) {
    const tapeRoot = join(data, 'tape');
    let isNodes = false;
    for (const [plan, sources] of found) {
      const cluster = await clusterOf(disk, tapeRoot, plan.dataset);
      // It was stopped before the dataset was added.
      if (cluster === null) continue;
      isNodes = true;
      if (clusters.includes(cluster)) {
        const end = await directoryEnd(disk, tapeRoot, plan.dataset);
        sources.push({ data, tapeRoot, cluster, end });
      } else foreign.push(`${data} belongs to ${cluster}, but PostgreSQL to ${clusters[0]}`);
    }
    if (!isNodes) foreign.push(`${data} belongs to no cluster, but PostgreSQL to ${clusters[0]}`);
  }
  if (foreign.length > 0) throw new ClusterRefusedError([...new Set(foreign)]);
  const newest = new Map<TapePlan, Source>();
  for (const [plan, sources] of found) {
    const source = newestOf(sources, clusters[1]!);
    if (source !== undefined) newest.set(plan, source);
    else if (!plan.isLossAccepted) throw new ClusterRefusedError([noTape(plan.dataset)]);
  }
  return newest;
}

function newestOf(sources: readonly Source[], begunFor: string): Source | undefined {
  const begun = sources.find(({ cluster }) => cluster === begunFor);
  return begun ?? sources.toSorted((a, b) => compareEnds(a.end, b.end))[0];
}

function noTape(dataset: string): string {
  return `none of these directories has a tape of ${dataset}. Name the directories of all nodes. If no node has one, --accept-loss continues without it, and tapeloom cluster init creates an empty one afterwards. Nothing was changed`;
}

/** Compares with the last reports of the nodes, and with what the directory itself should have. */
async function requireWhole(
  { dataset }: TapePlan,
  { data, tapeRoot, end }: Source,
  postgres: Pick<Postgres, 'query'>,
): Promise<void> {
  const nodes = await knownNodes(postgres);
  const identity = await readFile(join(data, 'node.json'), 'utf8').catch(() => '');
  const manifest = await TapeManifest.open(new NodeDisk(), tapeRoot, dataset);
  const faults = [
    ...nodes.flatMap((node) => nodeFault(node, dataset, identity, data, end)),
    ...(end.missing > 0
      ? [`the log of ${end.day} in ${data} is missing ${end.missing} records`]
      : []),
    ...halfSealed(manifest).map((day) => `of ${day} only a part is sealed in ${data}`),
  ];
  if (faults.length === 0) return;
  throw new ClusterRefusedError([
    ...faults,
    'Name the directories of all nodes. If no node has more, --accept-loss continues without the missing records. Nothing was changed',
  ]);
}

function nodeFault(
  node: KnownNode,
  dataset: string,
  identity: string,
  data: string,
  end: DirectoryEnd,
): readonly string[] {
  const tape = tapeIn(readNodeReport(node.report).tapes, dataset);
  if (tape === null) return [];
  if (tape.sequence > end.sequence) {
    return [
      `${node.name} had message ${tape.sequence} of the stream at its last heartbeat, but ${data} ends with ${end.sequence}`,
    ];
  }
  const isItsOwn = identity.includes(node.id);
  if (!isItsOwn || !(tape.daysToCome > 0)) return [];
  return [`${tape.daysToCome} sealed days of the cluster had not reached ${data} yet`];
}

/** Days whose log is named but gone: perhaps not all of their contracts are sealed. */
function halfSealed(manifest: TapeManifest): readonly UtcDay[] {
  const gone = manifest.missingLogs;
  return [...manifest.logs].filter(
    (day) => isSealed(manifest, day) && gone.some((path) => path.endsWith(`/${day}.log`)),
  );
}

/** Rejects if NATS still has a tape: none is made beside it. */
async function refuseKept(plan: TapePlan, old: string, id: string): Promise<void> {
  const connection = await connectNats(plan.cluster.nats, CLIENT);
  try {
    const { stream, objects } = await askNatsTape(connection, plan.dataset);
    for (const kept of [stream, objects]) {
      if (kept === null || kept.clusterId === id) continue;
      const why =
        kept.clusterId === old
          ? 'if messages are missing, use tapeloom cluster repair. If one of the two streams is really lost, remove the other one'
          : 'it belongs to another cluster';
      throw new ClusterRefusedError([`NATS still has ${kept.name}: ${why}. Nothing was changed`]);
    }
  } finally {
    await connection.close();
  }
}

/** Creates the stream or the bucket, if missing. */
async function makeStreams(plan: TapePlan, id: string): Promise<void> {
  const connection = await connectNats(plan.cluster.nats, CLIENT);
  try {
    await createNatsTape(connection, { ...plan, clusterId: id });
  } finally {
    await connection.close();
  }
}

/** Prepares it like a single machine's directory: torn logs are cut, and the manifest names those that exist. */
async function standReady(tapeRoot: string, dataset: string): Promise<void> {
  const disk = new NodeDisk();
  const manifest = await TapeManifest.open(disk, tapeRoot, dataset);
  const days: UtcDay[] = [];
  for (const name of await disk.list(logDirectory(tapeRoot, dataset))) {
    const day = dayOfFile(name, 'log');
    if (day === null) continue;
    const path = logPath(tapeRoot, dataset, day);
    const whole = await recoverUnsynced(disk, path, { opening: () => {}, commit: () => true });
    if (whole === null) await disk.remove(path);
    else if (whole.ended || !isSealed(manifest, day)) days.push(day);
    else throw new ClusterRefusedError([`${path} is torn, and its day is sealed in part`]);
  }
  // If a day's log exists, its sealed parts are sealed again from the log.
  await giveUpHalfSealed({ disk, tapeRoot, dataset }, manifest, () => false);
  await manifest.nameLogs(days);
}

/**
 * The earlier cursor floors are lost, and some cursors lie beyond what is left. So every client that resumes before the
 * next midnight, which no earlier cursor exceeds, starts with a snapshot.
 */
async function everyCursorEnds(
  { listed, dataset }: Pick<TapePlan, 'listed' | 'dataset'>,
  tapeRoot: string,
): Promise<string> {
  const today = dayOf(createClock({ kind: 'system' }).now());
  const { days } = await TapeManifest.open(new NodeDisk(), tapeRoot, dataset);
  const midnight = { day: addDays(today, 1), rank: 0 as Rank };
  const ends = new Map([...days.keys(), ...listed(today)].map((symbol) => [symbol, midnight]));
  return formatEpochs(withComputations({ computations: {}, floors: [] }, {}, null, ends));
}
