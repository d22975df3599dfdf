/** Removes days: from the manifest first, then their files. The next import completes an interrupted run. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import {
  type ImportedDay,
  type ImportedManifest,
  importedStem,
  writeImported,
} from '../imported/imported-manifest.ts';
import { contractDirectory } from '../tape-paths.ts';
import type { ContractRemoval } from './plan-removal.ts';

/**
 * Removes the days that are imported; in a live dataset others may be among the removals. The caller must hold the
 * dataset's lock and have read the manifest under it.
 */
export async function removeImported(
  disk: Disk,
  tapeRoot: string,
  manifest: ImportedManifest,
  planned: readonly ContractRemoval[],
): Promise<void> {
  const removals = planned.flatMap((removal) => {
    const imported = manifest.days.get(removal.symbol);
    const gone = removal.days.filter((day) => imported?.has(day));
    return gone.length === 0 ? [] : [{ ...removal, days: gone }];
  });
  if (removals.length === 0) return;
  const { dataset, revision } = manifest;
  const days = new Map<string, ReadonlyMap<UtcDay, ImportedDay>>(manifest.days);
  for (const { symbol, keptFrom } of removals) {
    const kept = [...days.get(symbol)!].filter(([day]) => day >= keptFrom);
    if (kept.length > 0) days.set(symbol, new Map(kept));
    else days.delete(symbol);
  }
  await writeImported(disk, tapeRoot, { dataset, revision: revision + 1, days });
  for (const { symbol, days: gone } of removals) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    const present = new Set(await disk.list(directory));
    for (const day of gone) {
      const stem = importedStem(day, manifest.days.get(symbol)!.get(day)!.digest);
      for (const name of [`${stem}.json`, `${stem}.arrow`]) {
        if (present.has(name)) await disk.remove(`${directory}/${name}`);
      }
    }
  }
}
