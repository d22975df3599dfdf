import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import type { Disk } from '../platform/disk/disk.ts';
import { CacheSize } from './cache-size.ts';

async function write(disk: Disk, name: string, bytes: number): Promise<void> {
  await disk.makeDirectory('/cache/settled/SIM/ESZ6');
  await using file = await disk.open(`/cache/settled/SIM/ESZ6/${name}`, 'create');
  await file.write(new Uint8Array(bytes), 0);
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}

test('the size is looked up when it is asked for, once a minute at most', async () => {
  const disk = new SimDisk().boot();
  let now = 0;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const size = new CacheSize({ disk, root: '/cache', now: () => now, onFault });
  await size.look();
  assert.equal(size.bytes, 0);
  await write(disk, 'a.result', 100);
  await write(disk, 'b.result.1-1-1.tmp', 20);
  now = 59_999;
  assert.equal(size.bytes, 0);
  await settled();
  assert.equal(size.bytes, 0);
  now = 60_000;
  assert.equal(size.bytes, 0, 'what is known already is told at once');
  await settled();
  assert.equal(size.bytes, 120);
  assert.deepEqual(faults, []);
});

test('a disk that fails is told, and the last size stays', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  await write(disk, 'a.result', 100);
  let now = 0;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const size = new CacheSize({ disk, root: '/cache', now: () => now, onFault });
  await size.look();
  const failing: Disk = {
    ...disk,
    list: async () => {
      throw new Error('the disk fails');
    },
  };
  const other = new CacheSize({ disk: failing, root: '/cache', now: () => now, onFault });
  now = 120_000;
  assert.equal(other.bytes, 0);
  assert.equal(size.bytes, 100);
  await settled();
  assert.match(String(faults[0]), /the disk fails/);
});
