/** The files of imported days: written under new names, read by their digest, removed once no manifest names them. */

import { createHash } from 'node:crypto';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { BatchDecoder } from '../read/batch-decoder.ts';
import { readSidecar, readSoundSidecar } from '../read/sealed-days.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { contractDirectory, daysDirectory, isFileOfImport, isSafeName } from '../tape-paths.ts';
import { type DayPlace, encodeDay } from '../write/seal/encode-day.ts';
import { type ImportedManifest, importedStem } from './imported-manifest.ts';

const NONE_LATE = { ranks: [], byNs: [] };

/** Both files are on disk when this resolves; readers see them once a manifest names them. Sound files stay. */
export async function writeImportedDay(
  disk: Disk,
  tapeRoot: string,
  place: DayPlace,
  batch: TradeBatch,
  digest: string,
): Promise<void> {
  const path = importedDayPath(tapeRoot, place, digest);
  const directory = contractDirectory(tapeRoot, place.dataset, place.symbol);
  await disk.makeDirectory(directory);
  if (await isSound(disk, path, digest)) {
    await disk.syncDirectory(directory);
    return;
  }
  const files = await encodeDay(place, [batch], NONE_LATE, { digest, gaps: [] });
  await replaceFile(disk, `${path}.arrow`, files.arrow);
  await replaceFile(disk, `${path}.json`, files.sidecar);
}

async function isSound(disk: Disk, path: string, digest: string): Promise<boolean> {
  const sidecar = await readSoundSidecar(disk, `${path}.json`);
  if (sidecar?.digest !== digest) return false;
  const bytes = await readFileWhole(disk, `${path}.arrow`);
  return bytes !== null && createHash('sha256').update(bytes).digest('hex') === sidecar.sha256;
}

/** All trades of a day. Rejects with `TapeDamagedError` when they are missing or not as written. */
export async function readImportedDay(
  disk: Disk,
  tapeRoot: string,
  place: DayPlace,
  digest: string,
): Promise<TradeBatch> {
  const path = importedDayPath(tapeRoot, place, digest);
  const sidecar = await readSidecar(disk, `${path}.json`);
  const bytes = await readFileWhole(disk, `${path}.arrow`);
  if (sidecar === null || bytes === null || sidecar.digest !== digest) {
    throw new TapeDamagedError('the day is not there', { file: path, offset: 0 });
  }
  const whole = allocateBatch(place.day, 1 as Rank, sidecar.rows);
  for (const [index, batch] of sidecar.batches.entries()) {
    const message = bytes.subarray(batch.offset, batch.offset + batch.bytes);
    const trades = new BatchDecoder(message, batch, path, index).trades(place.day);
    whole.ts.set(trades.ts.subarray(0, trades.count), whole.count);
    whole.price.set(trades.price.subarray(0, trades.count), whole.count);
    whole.size.set(trades.size.subarray(0, trades.count), whole.count);
    whole.side.set(trades.side.subarray(0, trades.count), whole.count);
    whole.count += trades.count;
  }
  return whole;
}

/** Removes imported files that the manifest does not name: of replaced days, and of an import that ended early. */
export async function removeNamelessDays(
  disk: Disk,
  tapeRoot: string,
  { dataset, days }: ImportedManifest,
): Promise<void> {
  for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
    if (!isSafeName(symbol)) continue;
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    const named = new Set<string>();
    for (const [day, { digest }] of days.get(symbol) ?? []) {
      const stem = importedStem(day, digest);
      named.add(`${stem}.arrow`).add(`${stem}.json`);
    }
    for (const name of await disk.list(directory)) {
      if (isFileOfImport(name) && !named.has(name)) await disk.remove(`${directory}/${name}`);
    }
  }
}

/** Without extension. */
export function importedDayPath(
  tapeRoot: string,
  { dataset, symbol, day }: { dataset: string; symbol: string; day: UtcDay },
  digest: string,
): string {
  return `${contractDirectory(tapeRoot, dataset, symbol)}/${importedStem(day, digest)}`;
}
