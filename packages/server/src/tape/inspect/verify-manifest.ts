/** Finds named days that are missing or differ. A service may write meanwhile, so missing files are checked twice. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import { readSoundSidecar } from '../read/sealed-days.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { type ManifestContent, readManifest } from '../tape-manifest.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
  manifestPath,
  sidecarPath,
} from '../tape-paths.ts';
import { finding, note, type VerifyEvent } from './verify-event.ts';

const NOT_NAMED = 'is not in the manifest yet; the next start adds it';

export async function* verifyManifest(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): AsyncGenerator<VerifyEvent> {
  const file = manifestPath(tapeRoot, dataset);
  const found = await sealedOnDisk(disk, tapeRoot, dataset);
  let manifest: ManifestContent | null;
  try {
    manifest = await readManifest(disk, tapeRoot, dataset);
  } catch (error) {
    if (!(error instanceof TapeDamagedError)) throw error;
    yield finding(file, error.message);
    return;
  }
  if (manifest === null) {
    const isEmpty =
      found.size === 0 && (await disk.list(logDirectory(tapeRoot, dataset))).length === 0;
    if (isEmpty) return;
    yield note(
      file,
      'does not exist, so missing days cannot be detected; the next start writes it',
    );
    return;
  }
  for (const day of manifest.logs) {
    const path = logPath(tapeRoot, dataset, day);
    if (await isMissingLog(disk, tapeRoot, dataset, day)) yield finding(path, 'is missing');
  }
  for (const [symbol, days] of manifest.days) {
    yield* verifyDays(disk, { tapeRoot, dataset, symbol }, days);
  }
  for (const [symbol, days] of found) {
    for (const day of days.difference(manifest.days.get(symbol) ?? new Map())) {
      const path = sidecarPath(tapeRoot, dataset, symbol, day);
      const isRemoved = day < (manifest.keptFrom.get(symbol) ?? 0);
      const what = isRemoved ? 'is of a removed day; the next start deletes it' : NOT_NAMED;
      yield note(path, what);
    }
  }
}

/** A log that was sealed meanwhile is no longer named. */
async function isMissingLog(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  day: UtcDay,
): Promise<boolean> {
  if ((await disk.stat(logPath(tapeRoot, dataset, day))) !== null) return false;
  return (await readManifest(disk, tapeRoot, dataset))?.logs.has(day) === true;
}

async function* verifyDays(
  disk: Disk,
  place: { readonly tapeRoot: string; readonly dataset: string; readonly symbol: string },
  days: ReadonlyMap<UtcDay, string>,
): AsyncGenerator<VerifyEvent> {
  const { tapeRoot, dataset, symbol } = place;
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  if ((await disk.list(directory)).length === 0) {
    yield finding(directory, `is missing, with the days ${[...days.keys()].join(', ')}`);
    return;
  }
  for (const [day, digest] of days) {
    const path = sidecarPath(tapeRoot, dataset, symbol, day);
    if ((await disk.stat(path)) === null) {
      yield finding(path, 'is missing');
      continue;
    }
    // Damage is reported where the file itself is verified.
    const sidecar = await readSoundSidecar(disk, path);
    if (sidecar !== null && sidecar.digest !== digest) {
      yield finding(path, 'has other trades than the manifest records');
    }
  }
}

async function sealedOnDisk(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<ReadonlyMap<string, ReadonlySet<UtcDay>>> {
  const found = new Map<string, ReadonlySet<UtcDay>>();
  const symbols = await disk.list(daysDirectory(tapeRoot, dataset));
  for (const symbol of symbols.filter(isSafeName)) {
    const names = await disk.list(contractDirectory(tapeRoot, dataset, symbol));
    found.set(symbol, new Set(names.flatMap((name) => dayOfFile(name, 'json') ?? [])));
  }
  return found;
}
