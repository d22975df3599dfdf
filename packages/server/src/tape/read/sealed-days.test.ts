import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { batchOf, type TradeRow } from '../../../testing/imported-dataset.ts';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { sealedPath, sidecarPath } from '../tape-paths.ts';
import { sealDay } from '../write/seal/seal.ts';
import { SealedDays } from './sealed-days.ts';
import { NO_LIVE_DAYS, TapeReader } from './tape-reader.ts';

const [ROOT, DATASET, SYMBOL, DAY] = ['/tape', 'SIM', 'ESZ6', utcDay(20261112)] as const;
const TRADES = sealedPath(ROOT, DATASET, SYMBOL, DAY);
const SIDECAR = sidecarPath(ROOT, DATASET, SYMBOL, DAY);

async function seal(disk: Disk, rows: readonly TradeRow[]): Promise<void> {
  const batch = batchOf(DAY, rows);
  await sealDay(disk, ROOT, { dataset: DATASET, symbol: SYMBOL, batch });
}

/** Copies a file over the existing one, as an operator does. */
async function copy(from: Disk, to: Disk, path: string, cut = 0): Promise<void> {
  const bytes = (await readFileWhole(from, path))!;
  await replaceFile(to, path, bytes.subarray(0, bytes.length - cut));
}

async function prices(days: SealedDays): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { price, count } of days.read(SYMBOL, DAY, 0, 1_000)) {
    found.push(...price.subarray(0, count));
  }
  return found;
}

test('files that are cut, taken away and put back are told apart, and what was read of others is forgotten', async () => {
  const [disk, backup] = [new SimDisk().boot(), new SimDisk().boot()];
  await seal(disk, [[1, 100, 1, 1]]);
  await seal(backup, [
    [1, 200, 1, 1],
    [2, 201, 1, 1],
  ]);
  const days = new SealedDays(disk, ROOT, DATASET);
  assert.deepEqual(await prices(days), [100]);
  const versions = [await days.filesVersion(SYMBOL, DAY)];
  assert.equal(await days.filesVersion(SYMBOL, DAY), versions[0]);
  await copy(disk, disk, TRADES, 700);
  await assert.rejects(prices(days), TapeDamagedError);
  versions.push(await days.filesVersion(SYMBOL, DAY));
  await disk.remove(TRADES);
  versions.push(await days.filesVersion(SYMBOL, DAY));
  await assert.rejects(prices(days), TapeDamagedError);
  // The day is sealed again: its sidecar changes.
  for (const path of [TRADES, SIDECAR]) await copy(backup, disk, path);
  versions.push(await days.filesVersion(SYMBOL, DAY));
  assert.deepEqual(await prices(days), [200, 201]);
  assert.equal(await days.rankBefore(SYMBOL, DAY, 2), 1);
  assert.equal(new Set(versions).size, 4);
});

test('a file that was cut behind its trades is damaged, whether its sidecar was read before or not', async () => {
  const disk = new SimDisk().boot();
  await seal(disk, [[1, 100, 1, 1]]);
  const before = new SealedDays(disk, ROOT, DATASET);
  assert.deepEqual(await prices(before), [100]);
  await copy(disk, disk, TRADES, 100);
  for (const days of [before, new SealedDays(disk, ROOT, DATASET)]) {
    await assert.rejects(prices(days), TapeDamagedError);
  }
  const [day] = await new TapeReader(disk, ROOT, DATASET, NO_LIVE_DAYS).days(SYMBOL);
  assert.deepEqual([day?.day, day?.state, day?.trades], [DAY, 'damaged', 0]);
});
