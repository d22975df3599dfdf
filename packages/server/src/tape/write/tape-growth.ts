/** Estimates the disk space of one day of a tape from the newest sealed days: their files, and the day's log. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import { readSoundSidecar } from '../read/sealed-days.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
} from '../tape-paths.ts';

/** A week, so that it has quiet and busy days. */
const DAYS_MEASURED = 7;
/** Bytes of a trade in a log, with its share of a record in a busy market. */
const LOG_BYTES_PER_TRADE = 32;

/** Bytes, the mean of the newest sealed days; 0 when there are none. Damaged days are left out. */
export async function tapeDayBytes(disk: Disk, tapeRoot: string, dataset: string): Promise<number> {
  const byDay = new Map<UtcDay, string[]>();
  const symbols = await disk.list(daysDirectory(tapeRoot, dataset));
  for (const symbol of symbols.filter(isSafeName)) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    for (const name of await disk.list(directory)) {
      const day = dayOfFile(name, 'json');
      if (day === null) continue;
      byDay.getOrInsertComputed(day, () => []).push(`${directory}/${name}`);
    }
  }
  const newest = [...byDay.keys()].sort((a, b) => b - a).slice(0, DAYS_MEASURED);
  if (newest.length === 0) return 0;
  let bytes = 0;
  let trades = 0;
  for (const path of newest.flatMap((day) => byDay.get(day)!)) {
    const sidecar = await readSoundSidecar(disk, path);
    if (sidecar === null) continue;
    bytes += sidecar.bytes + ((await disk.stat(path))?.size ?? 0);
    trades += sidecar.rows;
  }
  const logBytes = (trades * LOG_BYTES_PER_TRADE) / newest.length;
  const largest = await largestLog(disk, logDirectory(tapeRoot, dataset));
  return Math.round(bytes / newest.length + Math.max(logBytes, largest));
}

/** The largest existing log: in a quiet market records take more space than their trades. */
async function largestLog(disk: Disk, directory: string): Promise<number> {
  let largest = 0;
  for (const name of await disk.list(directory)) {
    if (dayOfFile(name, 'log') === null) continue;
    largest = Math.max(largest, (await disk.stat(`${directory}/${name}`))?.size ?? 0);
  }
  return largest;
}
