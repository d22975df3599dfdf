/** The tape of a dataset on disk, live or imported, for readers outside a service. */

import type { Disk } from '../../platform/disk/disk.ts';
import { ImportedTape } from '../imported/imported-tape.ts';
import type { Tape } from '../tape.ts';
import { importedPath } from '../tape-paths.ts';
import { NO_LIVE_DAYS, TapeReader } from './tape-reader.ts';

/** Its sealed days; imported days stay as they are now. */
export async function openStoredTape(disk: Disk, tapeRoot: string, dataset: string): Promise<Tape> {
  const isImported = (await disk.stat(importedPath(tapeRoot, dataset))) !== null;
  if (!isImported) return new TapeReader(disk, tapeRoot, dataset, NO_LIVE_DAYS);
  return (await ImportedTape.open(disk, tapeRoot, dataset)).pinned();
}
