/** How far the tape in a node's directory goes. Read-only. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole } from '../../../platform/disk/disk.ts';
import { readManifest } from '../../tape-manifest.ts';
import { logDirectory } from '../../tape-paths.ts';
import { readMark } from './log-mark.ts';
import { soundRecords } from './repair-stream.ts';

const LOG_NAME = /^([1-9]\d{7})\.(?:log|kept)$/;

export interface DirectoryEnd {
  /** The newest day with any data; 0 when there is none. */
  readonly day: UtcDay | 0;
  /** Its whole records; 0 when only its sealed files are left. */
  readonly records: number;
  /** At least this many messages of the stream are known here; 0: unknown. */
  readonly sequence: number;
  /** Records that its log once had and that are missing now: it was torn, or is still being filled. */
  readonly missing: number;
}

export async function directoryEnd(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<DirectoryEnd> {
  const directory = logDirectory(tapeRoot, dataset);
  const logs = (await disk.list(directory))
    .flatMap((name) => {
      const day = Number(LOG_NAME.exec(name)?.[1] ?? 0) as UtcDay;
      return day === 0 ? [] : [{ day, path: `${directory}/${name}` }];
    })
    .sort((a, b) => b.day - a.day);
  const [newest] = logs;
  if (newest === undefined) return { day: await newestSealed(disk, tapeRoot, dataset), ...NOTHING };
  const { day, path } = newest;
  const records = soundRecords((await readFileWhole(disk, path))!).length;
  const mark = await readMark(disk, tapeRoot, dataset, day);
  // A log that is being filled has no opening until it is complete.
  const least = records === 0 ? 1 : 0;
  if (mark === null) return { day, records, sequence: 0, missing: least };
  const missing = Math.max(least, mark.records - records);
  const sequence =
    missing > 0 ? mark.opening - 1 + records : mark.sequence + (records - mark.records);
  return { day, records, sequence, missing };
}

/** Negative when `a` goes further. */
export function compareEnds(a: DirectoryEnd, b: DirectoryEnd): number {
  return b.day - a.day || b.records - a.records;
}

const NOTHING = { records: 0, sequence: 0, missing: 0 };

async function newestSealed(disk: Disk, tapeRoot: string, dataset: string): Promise<UtcDay | 0> {
  const days = (await readManifest(disk, tapeRoot, dataset))?.days.values() ?? [];
  let newest: UtcDay | 0 = 0;
  for (const of of days) for (const day of of.keys()) if (day > newest) newest = day;
  return newest;
}
