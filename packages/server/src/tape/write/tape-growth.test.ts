import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { sealDay } from './seal/seal.ts';
import { tapeDayBytes } from './tape-growth.ts';

const ROOT = '/data/tape';
const DAYS = `${ROOT}/SIM/days`;
const FIRST = utcDay(20_260_101);

async function tape(days: number): Promise<SimDisk> {
  const machine = new SimDisk();
  for (let index = 0; index < days; index += 1) {
    for (const symbol of ['ESZ6', 'NQZ6']) {
      // The first days are far larger than those of the last week.
      const count = index < days - 7 ? 5_000 : 100;
      const batch = allocateBatch(addDays(FIRST, index), 1 as Rank, count);
      batch.count = count;
      batch.size.fill(1);
      await sealDay(machine.boot(), ROOT, { dataset: 'SIM', symbol, batch });
    }
  }
  return machine;
}

test('a day needs what the newest sealed days took on the mean, with their logs', async () => {
  const machine = await tape(9);
  const newest = machine.files().filter((path) => Number(/\d{8}/.exec(path)) > 20_260_102);
  const files = newest.reduce((sum, path) => sum + machine.bytes(path)!.length, 0);
  const logs = 7 * 2 * 100 * 32;
  const expected = Math.round((files + logs) / 7);
  assert.equal(await tapeDayBytes(machine.boot(), ROOT, 'SIM'), expected);
  machine.put(`${ROOT}/SIM/log/20260110.log`, new Uint8Array(50_000));
  const withLog = Math.round(files / 7) + 50_000;
  assert.equal(await tapeDayBytes(machine.boot(), ROOT, 'SIM'), withLog);
});

test('an empty tape needs nothing that is known, and a damaged day is left out', async () => {
  assert.equal(await tapeDayBytes(new SimDisk().boot(), ROOT, 'SIM'), 0);
  const machine = await tape(1);
  const whole = await tapeDayBytes(machine.boot(), ROOT, 'SIM');
  machine.flip(`${DAYS}/ESZ6/${FIRST}.json`, 50, 1);
  const left = await tapeDayBytes(machine.boot(), ROOT, 'SIM');
  assert.ok(left > 0 && left < whole);
});
