/** Removes sealed days: from the manifest first, then their files. The next opening completes an interrupted run. */

import type { Disk } from '../../platform/disk/disk.ts';
import type { TapeManifest } from '../tape-manifest.ts';
import { contractDirectory, dayOfFile } from '../tape-paths.ts';
import type { ContractRemoval } from './plan-removal.ts';

/** Only the writer of this tape may call it. */
export async function removeLive(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  manifest: TapeManifest,
  removals: readonly ContractRemoval[],
): Promise<void> {
  if (removals.length === 0) return;
  await manifest.removed(new Map(removals.map(({ symbol, keptFrom }) => [symbol, keptFrom])));
  await deleteRemoved(disk, tapeRoot, dataset, manifest);
}

/** Deletes files of days that the manifest has dropped. A day is off the tape as soon as its sidecar is. */
export async function deleteRemoved(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  manifest: TapeManifest,
): Promise<void> {
  for (const symbol of manifest.keptFrom.keys()) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    const names = await disk.list(directory);
    for (const kind of ['json', 'arrow'] as const) {
      for (const name of names) {
        const day = dayOfFile(name, kind);
        if (day === null || !manifest.isRemoved(symbol, day)) continue;
        await disk.remove(`${directory}/${name}`);
      }
    }
  }
}
