/** The directory of a shared tape, which records its cluster. Tapes of other origin must not be mixed with it. */

import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { parseChecked, printChecked } from '../checked-json.ts';
import {
  daysDirectory,
  logDirectory,
  manifestPath,
  sessionsDirectory,
  sharedDirectory,
} from '../tape-paths.ts';
import { removeUnfinished } from '../write/open-tape.ts';
import { ForeignDirectoryError } from './shared-errors.ts';

const VERSION = 1;
/** Suffix of the log of an open day once all of it is in a cluster's stream. */
export const MOVED_SUFFIX = '.moved';

export async function prepareDirectory(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  cluster: string,
): Promise<void> {
  const known = await clusterOf(disk, tapeRoot, dataset);
  const directory = `${tapeRoot}/${dataset}`;
  if (known !== null && known !== cluster) {
    throw new ForeignDirectoryError(
      `${directory} belongs to the cluster ${known}, but the stream to ${cluster}. Choose another data directory`,
    );
  }
  if (known === null && (await disk.stat(manifestPath(tapeRoot, dataset))) !== null) {
    throw new ForeignDirectoryError(
      `${directory} was created by a single machine. Move it into the cluster with "tapeloom migrate", ` +
        'or choose another data directory',
    );
  }
  for (const path of [
    tapeRoot,
    directory,
    logDirectory(tapeRoot, dataset),
    daysDirectory(tapeRoot, dataset),
    sessionsDirectory(tapeRoot, dataset),
    sharedDirectory(tapeRoot, dataset),
  ]) {
    await disk.makeDirectory(path);
  }
  await removeUnfinished(disk, tapeRoot, dataset);
  if (known === null) await nameCluster(disk, tapeRoot, dataset, cluster);
}

/** Rejects with `ForeignDirectoryError` when the tape is a cluster's: a machine writing it alone would diverge. */
export async function assertAlone(disk: Disk, tapeRoot: string, dataset: string): Promise<void> {
  const cluster = await clusterOf(disk, tapeRoot, dataset);
  if (cluster === null) {
    await assertNotHalfMoved(disk, tapeRoot, dataset);
    return;
  }
  throw new ForeignDirectoryError(
    `${tapeRoot}/${dataset} belongs to the cluster ${cluster}, but this process is not a node of a cluster. Set TAPELOOM_NATS_URL and ` +
      'TAPELOOM_POSTGRES_URL, move the tape out of the cluster with "tapeloom migrate", or choose another data directory',
  );
}

/** The cluster already has its open day, only its mark is missing: used here, the day would begin a second time. */
async function assertNotHalfMoved(disk: Disk, tapeRoot: string, dataset: string): Promise<void> {
  const names = await disk.list(logDirectory(tapeRoot, dataset));
  if (!names.some((name) => name.endsWith(MOVED_SUFFIX))) return;
  throw new ForeignDirectoryError(
    `${tapeRoot}/${dataset} was being moved into a cluster, which already has its open day. Run "tapeloom migrate" again: ` +
      'it continues',
  );
}

export async function clusterOf(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<string | null> {
  const file = clusterPath(tapeRoot, dataset);
  const bytes = await readFileWhole(disk, file);
  if (bytes === null) return null;
  const text = new TextDecoder().decode(bytes);
  const read = parseChecked<{ readonly version: number; readonly cluster: string }>(text, {
    what: 'name of the cluster',
    version: VERSION,
    file,
  });
  return read.cluster;
}

export async function nameCluster(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  cluster: string,
): Promise<void> {
  await disk.makeDirectory(sharedDirectory(tapeRoot, dataset));
  const text = printChecked({ version: VERSION, cluster });
  await replaceFile(disk, clusterPath(tapeRoot, dataset), new TextEncoder().encode(text));
}

function clusterPath(tapeRoot: string, dataset: string): string {
  return `${sharedDirectory(tapeRoot, dataset)}/cluster.json`;
}
