import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { FreeSpace } from './free-space.ts';

const TOTAL = 1_000;

async function rig(freeBytes: number | null, dayBytes = 0) {
  const clock = new ManualClock(0n as EpochNs);
  const machine = new SimDisk();
  const told: string[] = [];
  const asked = { dayBytes: 0 };
  const need = { bytes: dayBytes };
  const set = (free: number | null) => {
    machine.space = free === null ? null : { freeBytes: free, totalBytes: TOTAL };
  };
  set(freeBytes);
  const space = new FreeSpace({
    disk: machine.boot(),
    directory: '/data',
    clock,
    dayBytes: async () => {
      asked.dayBytes += 1;
      return need.bytes;
    },
    onLittle: (_, why) => told.push(why),
    onEnough: () => told.push('enough'),
    onFault: (error) => told.push(String(error)),
  });
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(60_000);
      await turn();
    }
  };
  await turn();
  return { machine, space, told, asked, need, set, pass };
}

test('little room is told once when it becomes little, and once when there is enough', async () => {
  const { told, set, pass } = await rig(500);
  await pass(3);
  assert.deepEqual(told, []);
  set(99);
  await pass(30);
  assert.deepEqual(told, ['less than a tenth of the disk']);
  // Near the limit nothing is reported, in either direction.
  for (const free of [101, 99, 105, 98]) {
    set(free);
    await pass(1);
  }
  assert.equal(told.length, 1);
  set(111);
  await pass(5);
  assert.deepEqual(told, ['less than a tenth of the disk', 'enough']);
  set(99);
  await pass(5);
  assert.equal(told.length, 3);
});

test('room for less than two days is little, however large the disk is', async () => {
  const { told, space, set, pass } = await rig(500, 249);
  assert.deepEqual(told, []);
  assert.deepEqual(space.reading, { freeBytes: 500, totalBytes: TOTAL, dayBytes: 249 });
  set(497);
  await pass(1);
  assert.deepEqual(told, ['less than two days of the tape need']);
});

test('what a day needs is measured once an hour', async () => {
  const { told, asked, need, pass } = await rig(500, 10);
  need.bytes = 400;
  await pass(59);
  assert.equal(asked.dayBytes, 1);
  assert.deepEqual(told, []);
  await pass(1);
  assert.equal(asked.dayBytes, 2);
  assert.deepEqual(told, ['less than two days of the tape need']);
});

test('where the platform cannot say, nothing is known and nothing told', async () => {
  const { told, space, pass } = await rig(null, 1e9);
  await pass(3);
  assert.equal(space.reading, null);
  assert.deepEqual(told, []);
});

test('a look that fails is told, and the next one follows', async () => {
  const { machine, told, set, pass } = await rig(500);
  machine.faults = (operation) => (operation === 'space' ? 'fail' : null);
  await pass(1);
  assert.match(told[0]!, /EIO/);
  machine.faults = () => null;
  set(10);
  await pass(1);
  assert.equal(told.at(-1), 'less than a tenth of the disk');
});
