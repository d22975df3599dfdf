/**
 * Checks the imported days of a dataset against their manifest: every named day must exist with exactly its trades.
 * Imported files that it does not name are notes: they belong to replaced days or to a killed import. An import may run
 * meanwhile, so a missing day is a finding only if the newest manifest still names it. The files of a live tape among
 * them are checked elsewhere.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, UNFINISHED_SUFFIX } from '../../platform/disk/disk.ts';
import {
  type ImportedDay,
  type ImportedManifest,
  importedStem,
  readImported,
} from '../imported/imported-manifest.ts';
import { RollStore } from '../imported/roll-store.ts';
import { readSidecar } from '../read/sealed-days.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import {
  contractDirectory,
  dayOfImportedFile,
  daysDirectory,
  importedPath,
  isFileOfImport,
  isSafeName,
  rollsPath,
} from '../tape-paths.ts';
import { finding, note, type VerifyEvent } from './verify-event.ts';
import { describe, verifySealed } from './verify-sealed.ts';

export async function* verifyImported(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  isLive: boolean,
): AsyncGenerator<VerifyEvent> {
  try {
    await new RollStore(disk, tapeRoot, dataset).load();
  } catch (error) {
    yield finding(rollsPath(tapeRoot, dataset), describe(error));
  }
  let manifest: ImportedManifest;
  try {
    manifest = (await readImported(disk, tapeRoot, dataset))!;
  } catch (error) {
    if (!(error instanceof TapeDamagedError)) throw error;
    yield finding(importedPath(tapeRoot, dataset), error.message);
    return;
  }
  for (const [symbol, days] of manifest.days) {
    for (const [day, imported] of days) {
      yield* verifyDay(disk, { tapeRoot, dataset, symbol, day }, imported);
    }
  }
  yield* verifyNames(disk, tapeRoot, manifest, isLive);
}

interface DayPlace {
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
}

async function* verifyDay(
  disk: Disk,
  place: DayPlace,
  imported: ImportedDay,
): AsyncGenerator<VerifyEvent> {
  const { tapeRoot, dataset, symbol, day } = place;
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  const stem = `${directory}/${importedStem(day, imported.digest)}`;
  const events: VerifyEvent[] = [];
  try {
    const sidecar = await readSidecar(disk, `${stem}.json`);
    if (sidecar === null) {
      events.push(finding(`${stem}.json`, 'is missing'));
    } else if (
      sidecar.dataset !== dataset ||
      sidecar.symbol !== symbol ||
      sidecar.day !== day ||
      sidecar.digest !== imported.digest ||
      sidecar.rows !== imported.trades
    ) {
      events.push(finding(`${stem}.json`, 'has other trades than the manifest records'));
    } else {
      for await (const event of verifySealed(disk, `${stem}.arrow`, sidecar)) events.push(event);
    }
  } catch (error) {
    events.push(finding(`${stem}.json`, describe(error)));
  }
  const isSound = events.every(({ type }) => type !== 'finding');
  if (isSound || (await isStillNamed(disk, place, imported))) yield* events;
}

async function isStillNamed(
  disk: Disk,
  { tapeRoot, dataset, symbol, day }: DayPlace,
  { digest }: ImportedDay,
): Promise<boolean> {
  const newest = await readImported(disk, tapeRoot, dataset);
  return newest?.days.get(symbol)?.get(day)?.digest === digest;
}

/** Files and folders among the days that belong to none. */
async function* verifyNames(
  disk: Disk,
  tapeRoot: string,
  { dataset, days }: ImportedManifest,
  isLive: boolean,
): AsyncGenerator<VerifyEvent> {
  const root = daysDirectory(tapeRoot, dataset);
  for (const symbol of await disk.list(root)) {
    if (!isSafeName(symbol)) {
      if (!isLive) yield finding(`${root}/${symbol}`, 'is no part of a tape');
      continue;
    }
    const stems = [...(days.get(symbol) ?? [])].map(([day, of]) => importedStem(day, of.digest));
    const named = new Set(stems.flatMap((stem) => [`${stem}.arrow`, `${stem}.json`]));
    for (const name of await disk.list(`${root}/${symbol}`)) {
      if (named.has(name) || (isLive && !isFileOfImport(name))) continue;
      const file = `${root}/${symbol}/${name}`;
      if (name.endsWith(UNFINISHED_SUFFIX)) yield note(file, 'is unfinished');
      else if (dayOfImportedFile(name) === null) yield finding(file, 'is no part of a tape');
      else yield note(file, 'belongs to no day on the tape; the next import removes it');
    }
  }
}
