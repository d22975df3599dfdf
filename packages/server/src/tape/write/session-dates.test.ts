import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { sealDay } from './seal/seal.ts';
import { sessionDates } from './session-dates.ts';

const NOW = epochNs(utcDay(20261115), 3_600_000_000_000);

test('sessions are wanted from before the oldest sealed day of any contract to far ahead of today', async () => {
  const disk = new SimDisk().boot();
  const dates = () => sessionDates(disk, '/tape', 'SIM', NOW);
  assert.deepEqual(await dates(), { from: 20260916, to: 20270114 });
  const seal = async (symbol: string, day: UtcDay) => {
    const batch = allocateBatch(day, 1 as Rank, 1);
    batch.count = 1;
    batch.size[0] = 1;
    await sealDay(disk, '/tape', { dataset: 'SIM', symbol, batch });
  };
  await seal('ESZ6', utcDay(20261113));
  assert.deepEqual(await dates(), { from: 20260914, to: 20270114 });
  const toCome = [utcDay(20261112), utcDay(20260912)];
  const wider = await sessionDates(disk, '/tape', 'SIM', NOW, toCome);
  assert.deepEqual(wider, { from: 20260714, to: 20270114 });
  await seal('ESH5', utcDay(20250303));
  await seal('ESH5', utcDay(20250304));
  assert.deepEqual(await dates(), { from: 20250102, to: 20270114 });
});
