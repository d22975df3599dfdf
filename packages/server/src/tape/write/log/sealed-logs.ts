/**
 * Moves logs aside whose day is already sealed: a copy of the directory that took several days can have an unfinished
 * log beside the sealed day. Such a log has no trade that the sealed day is missing, so the tape opens without it. It
 * moves to `aside/` and is never deleted. A log with trades that the sealed day is missing stays in place.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../../platform/disk/disk.ts';
import { LogCheck } from '../../inspect/log-check.ts';
import { readSoundSidecar } from '../../read/sealed-days.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { TapeManifest } from '../../tape-manifest.ts';
import { asideDirectory, logDirectory, logPath, sidecarPath } from '../../tape-paths.ts';
import { readLog } from './log-recovery.ts';

interface Place {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
}

/** Resolves to the new paths of the logs. */
export async function setSealedLogsAside(
  place: Place,
  manifest: TapeManifest,
): Promise<readonly string[]> {
  const { disk, tapeRoot, dataset } = place;
  const moved: string[] = [];
  const days = [...manifest.logs].sort((a, b) => a - b);
  for (const day of days) {
    if (!(await isSealed(place, day, manifest, day < days.at(-1)!))) continue;
    // The manifest first: a log that it names and that is gone would make the next start fail.
    await manifest.logSetAside(day);
    const directory = asideDirectory(tapeRoot, dataset);
    await disk.makeDirectory(directory);
    const path = `${directory}/${freeName(`${day}`, await disk.list(directory))}`;
    await disk.rename(logPath(tapeRoot, dataset, day), path);
    await disk.syncDirectory(directory);
    await disk.syncDirectory(logDirectory(tapeRoot, dataset));
    moved.push(path);
  }
  return moved;
}

async function isSealed(
  { disk, tapeRoot, dataset }: Place,
  day: UtcDay,
  manifest: TapeManifest,
  isLaterBegun: boolean,
): Promise<boolean> {
  if (![...manifest.days.values()].some((days) => days.has(day))) return false;
  const log = await unfinishedLog(disk, logPath(tapeRoot, dataset, day));
  if (log === null) return false;
  const traded = log.contracts.filter(({ rank }) => rank > 0);
  if (traded.length === 0) return isLaterBegun;
  for (const { symbol, rank } of traded) {
    const sidecar = await readSoundSidecar(disk, sidecarPath(tapeRoot, dataset, symbol, day));
    if (sidecar === null || sidecar.rows < rank) return false;
  }
  return true;
}

/** The content of a log without an end. Null when the log has one, is gone or is damaged: recovery handles those. */
async function unfinishedLog(disk: Disk, path: string): Promise<LogCheck | null> {
  if ((await disk.stat(path)) === null) return null;
  const check = new LogCheck();
  try {
    return (await readLog(disk, path, check)).ended ? null : check;
  } catch (error) {
    if (error instanceof TapeDamagedError) return null;
    throw error;
  }
}

function freeName(stem: string, taken: readonly string[]): string {
  let name = `${stem}.log`;
  for (let number = 2; taken.includes(name); number += 1) name = `${stem}-${number}.log`;
  return name;
}
