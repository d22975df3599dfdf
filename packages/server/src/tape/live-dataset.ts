/** Whether the trades of a dataset go through a log, as far as its directory shows. It may have imported days as well. */

import type { Disk } from '../platform/disk/disk.ts';
import { logDirectory, manifestPath } from './tape-paths.ts';

export async function hasLiveTape(disk: Disk, tapeRoot: string, dataset: string): Promise<boolean> {
  if ((await disk.stat(manifestPath(tapeRoot, dataset))) !== null) return true;
  return (await disk.list(logDirectory(tapeRoot, dataset))).length > 0;
}
