/** Whether the trades of a dataset go through a log, as far as its directory shows. It may have imported days as well. */

import type { Disk } from '../platform/disk/disk.ts';
import { isImported } from './imported/imported-manifest.ts';
import { logDirectory, manifestPath } from './tape-paths.ts';

export async function hasLiveTape(disk: Disk, tapeRoot: string, dataset: string): Promise<boolean> {
  if ((await disk.stat(manifestPath(tapeRoot, dataset))) !== null) return true;
  return (await disk.list(logDirectory(tapeRoot, dataset))).length > 0;
}

/** Whether days without an import belong to a live tape; true as well for a directory that has neither. */
export async function isReadLive(disk: Disk, tapeRoot: string, dataset: string): Promise<boolean> {
  if (await hasLiveTape(disk, tapeRoot, dataset)) return true;
  return !(await isImported(disk, tapeRoot, dataset));
}
