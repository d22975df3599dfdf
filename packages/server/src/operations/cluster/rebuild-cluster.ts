/**
 * A cluster whose NATS servers have lost everything gets its tape again out of the directory of a node, in a new stream. It is
 * another cluster from then on, with the same accounts: directories of other nodes are of the old one, whose numbers the new stream does
 * not have, and are refused until they are emptied. All that was shown before may lie beyond what is left, so cursors from before end.
 *
 * It may be broken off at any moment and begun again: the id of the new cluster follows from that of the old one, and PostgreSQL learns
 * of it last of all.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { type KnownNode, knownNodes } from '../../accounts/shared/known-nodes.ts';
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
import { formatEpochs, withComputations } from '../../topics/epoch-floors.ts';
import { readClusterId } from './cluster-identity.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { type ClusterPlan, soundServers } from './init-cluster.ts';
import { requireNobody } from './move-data.ts';
import { type MovedTape, moveTapeIn, type TapePlace } from './move-tape-in.ts';
import { readNodeReport } from './node-report.ts';

const CLIENT = 'tapeloom cluster rebuild';
const ID_DIGITS = 24;

export interface RebuildPlan extends ClusterPlan, Pick<TapePlace, 'listed' | 'onProgress'> {
  /** Of nodes; the one with the most of the tape is taken. */
  readonly directories: readonly string[];
  /** What is known to be missing is given up. */
  readonly isLossAccepted: boolean;
}

export interface RebuiltCluster {
  readonly id: string;
  readonly data: string;
  readonly tape: MovedTape;
}

interface Source {
  readonly data: string;
  readonly tapeRoot: string;
  readonly end: DirectoryEnd;
  /** The cluster it is of. */
  readonly cluster: string;
}

/** Rejects with a `ClusterRefusedError`. */
export async function rebuildCluster(plan: RebuildPlan): Promise<RebuiltCluster> {
  const { cluster, dataset } = plan;
  await soundServers(plan, CLIENT);
  await using postgres = await openClusterPostgres(cluster, 1);
  const old = await knownCluster(postgres);
  const id = successor(old);
  await requireNobody(postgres);
  await refuseKept(plan, old, id);
  const source = await newestOf(plan, [old, id]);
  const { data, tapeRoot } = source;
  using _lock = lockDirectory(data);
  // One that is the new cluster's already lacks only what PostgreSQL has to know.
  if (source.cluster === old && !plan.isLossAccepted) await requireWhole(plan, source, postgres);
  await makeStreams(plan, id);
  if (source.cluster === old) await standReady(tapeRoot, dataset);
  const disk = new NodeDisk();
  const floors = await everyCursorEnds(plan, tapeRoot);
  await using nats = await openNatsTape({
    ...{ nats: cluster.nats, dataset, client: CLIENT, clusterId: id },
  });
  const tape = await moveTapeIn({ ...plan, disk, tapeRoot, floors }, { ...nats, clusterId: id });
  // What nodes said of themselves was of the old stream.
  await postgres.query('delete from nodes');
  await postgres.query('update cluster set id = $1 where id = $2', [id, old]);
  return { id, data, tape };
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

/** What the cluster is called that follows this one. */
function successor(id: string): string {
  const digest = createHash('sha256').update(`after ${id}`).digest('hex');
  return `cluster_${digest.slice(0, ID_DIGITS)}`;
}

async function newestOf(
  { directories, dataset }: RebuildPlan,
  clusters: readonly string[],
): Promise<Source> {
  const disk = new NodeDisk();
  const sources: Source[] = [];
  const foreign: string[] = [];
  for (const data of directories) {
    const tapeRoot = join(data, 'tape');
    const cluster = await clusterOf(disk, tapeRoot, dataset);
    if (cluster === null || !clusters.includes(cluster)) {
      foreign.push(
        `${data} belongs to ${cluster ?? 'no cluster'}, but PostgreSQL to ${clusters[0]}`,
      );
      continue;
    }
    sources.push({ data, tapeRoot, cluster, end: await directoryEnd(disk, tapeRoot, dataset) });
  }
  if (foreign.length > 0) throw new ClusterRefusedError(foreign);
  const begun = sources.find(({ cluster }) => cluster === clusters[1]);
  return begun ?? sources.sort((a, b) => compareEnds(a.end, b.end))[0]!;
}

/** By what nodes said of themselves when they were last heard of, and by what the directory itself should have. */
async function requireWhole(
  { dataset }: RebuildPlan,
  { data, tapeRoot, end }: Source,
  postgres: Pick<Postgres, 'query'>,
): Promise<void> {
  const nodes = await knownNodes(postgres);
  const identity = await readFile(join(data, 'node.json'), 'utf8').catch(() => '');
  const manifest = await TapeManifest.open(new NodeDisk(), tapeRoot, dataset);
  const faults = [
    ...nodes.flatMap((node) => nodeFault(node, identity, data, end)),
    ...(end.lacking > 0
      ? [`the log of ${end.day} in ${data} is missing ${end.lacking} records`]
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
  identity: string,
  data: string,
  end: DirectoryEnd,
): readonly string[] {
  const { tape } = readNodeReport(node.report);
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

/** Days of which a log is named that is gone: of such a day not all contracts need be sealed. */
function halfSealed(manifest: TapeManifest): readonly UtcDay[] {
  const gone = manifest.missingLogs;
  return [...manifest.logs].filter(
    (day) => isSealed(manifest, day) && gone.some((path) => path.endsWith(`/${day}.log`)),
  );
}

/** Where a tape is left, nothing is made beside it. */
async function refuseKept(plan: RebuildPlan, old: string, id: string): Promise<void> {
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

/** What is missing of the two. */
async function makeStreams(plan: RebuildPlan, id: string): Promise<void> {
  const connection = await connectNats(plan.cluster.nats, CLIENT);
  try {
    await createNatsTape(connection, { ...plan, clusterId: id });
  } finally {
    await connection.close();
  }
}

/** As a machine has it that was alone: its logs are cut where they were torn, and the manifest names those that are there. */
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
  // What is sealed of a day whose log is there is sealed again out of that.
  await giveUpHalfSealed({ disk, tapeRoot, dataset }, manifest, () => false);
  await manifest.nameLogs(days);
}

/**
 * Nobody knows any more which cursors were worthless before, and some lie beyond what is left. Until the next midnight, which no
 * cursor from before lies beyond, whoever resumes begins with a snapshot.
 */
async function everyCursorEnds(
  { listed, dataset }: Pick<RebuildPlan, 'listed' | 'dataset'>,
  tapeRoot: string,
): Promise<string> {
  const today = dayOf(createClock({ kind: 'system' }).now());
  const { days } = await TapeManifest.open(new NodeDisk(), tapeRoot, dataset);
  const midnight = { day: addDays(today, 1), rank: 0 as Rank };
  const ends = new Map([...days.keys(), ...listed(today)].map((symbol) => [symbol, midnight]));
  return formatEpochs(withComputations({ computations: {}, floors: [] }, {}, null, ends));
}
