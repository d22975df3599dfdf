/** The tape of a dataset on disk, live, imported or both, for readers outside a service. */

import type { Disk } from '../../platform/disk/disk.ts';
import { isImported } from '../imported/imported-manifest.ts';
import { ImportedTape } from '../imported/imported-tape.ts';
import { hasLiveTape } from '../live-dataset.ts';
import type { Tape } from '../tape.ts';
import { RepairedTape } from './repaired-tape.ts';
import { NO_LIVE_DAYS, TapeReader } from './tape-reader.ts';

/** Its sealed days; imported days stay as they are now. */
export async function openStoredTape(disk: Disk, tapeRoot: string, dataset: string): Promise<Tape> {
  const live = new TapeReader(disk, tapeRoot, dataset, NO_LIVE_DAYS);
  if (!(await isImported(disk, tapeRoot, dataset))) return live;
  const imported = (await ImportedTape.open(disk, tapeRoot, dataset)).pinned();
  if (!(await hasLiveTape(disk, tapeRoot, dataset))) return imported;
  return new RepairedTape({ live, memory: NO_LIVE_DAYS, imported });
}
