import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { type Disk, readFileWhole, replaceFile } from './disk.ts';
import { NodeDisk } from './node-disk.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

/** The behaviour of every adapter of the port; each test gets an empty directory. */
const contract: readonly (readonly [string, (disk: Disk, root: string) => Promise<void>])[] = [
  [
    'reads back what was written, at any position, and knows the end',
    async (disk, root) => {
      await using file = await disk.open(`${root}/a`, 'create');
      await file.write(bytes(1, 2, 3, 4), 0);
      await file.write(bytes(9, 9), 3);
      await file.sync();
      const into = new Uint8Array(4);
      assert.equal(await file.read(into, 2), 3);
      assert.deepEqual(into, bytes(3, 9, 9, 0));
      await file.truncate(2);
      assert.deepEqual(await readFileWhole(disk, `${root}/a`), bytes(1, 2));
    },
  ],
  [
    'opens for reading and writing only what exists, and empties what it creates anew',
    async (disk, root) => {
      await assert.rejects(disk.open(`${root}/a`, 'read'), { code: 'ENOENT' });
      await assert.rejects(disk.open(`${root}/a`, 'write'), { code: 'ENOENT' });
      await replaceFile(disk, `${root}/a`, bytes(1, 2, 3));
      {
        await using file = await disk.open(`${root}/a`, 'write');
        await file.write(bytes(7), 1);
      }
      assert.deepEqual(await readFileWhole(disk, `${root}/a`), bytes(1, 7, 3));
      await using _ = await disk.open(`${root}/a`, 'create');
      assert.equal((await disk.stat(`${root}/a`))?.size, 0);
    },
  ],
  [
    'lists names in order, and none of a directory that is not there',
    async (disk, root) => {
      await disk.makeDirectory(`${root}/x/y`);
      await replaceFile(disk, `${root}/x/b`, bytes(1));
      await replaceFile(disk, `${root}/x/a`, bytes(1));
      assert.deepEqual(await disk.list(`${root}/x`), ['a', 'b', 'y']);
      assert.deepEqual(await disk.list(`${root}/none`), []);
      assert.equal((await disk.stat(`${root}/x`))?.kind, 'directory');
      assert.equal((await disk.stat(`${root}/x/a`))?.kind, 'file');
      assert.equal(await disk.stat(`${root}/x/none`), null);
      await disk.makeDirectory(`${root}/x/y`);
    },
  ],
  [
    'replaces a file in one step and removes one by its name',
    async (disk, root) => {
      await replaceFile(disk, `${root}/a`, bytes(1));
      await replaceFile(disk, `${root}/a`, bytes(2, 3));
      assert.deepEqual(await disk.list(root), ['a']);
      assert.deepEqual(await readFileWhole(disk, `${root}/a`), bytes(2, 3));
      await disk.remove(`${root}/a`);
      assert.equal(await readFileWhole(disk, `${root}/a`), null);
      await assert.rejects(disk.remove(`${root}/a`), { code: 'ENOENT' });
    },
  ],
  [
    'goes on writing to a file that was renamed meanwhile',
    async (disk, root) => {
      await using file = await disk.open(`${root}/a.tmp`, 'create');
      await file.write(bytes(1), 0);
      await disk.rename(`${root}/a.tmp`, `${root}/a`);
      await disk.syncDirectory(root);
      await file.write(bytes(2), 1);
      assert.deepEqual(await readFileWhole(disk, `${root}/a`), bytes(1, 2));
    },
  ],
];

for (const [name, prove] of contract) {
  test(`the machine's disk ${name}`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'tapeloom-disk-'));
    try {
      await prove(new NodeDisk(), root);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test(`the simulated disk ${name}`, async () => {
    const disk = new SimDisk().boot();
    await disk.makeDirectory('/root');
    await prove(disk, '/root');
  });
}

test('the simulated disk forgets at a crash what was not synced, names too [SEC-33]', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  await disk.makeDirectory('/d');
  await replaceFile(disk, '/d/kept', bytes(1, 2));
  const unnamed = await disk.open('/d/unnamed', 'create');
  await unnamed.write(bytes(5), 0);
  await unnamed.sync();
  const kept = await disk.open('/d/kept', 'write');
  await kept.write(bytes(8, 8, 8), 0);
  await disk.rename('/d/kept', '/d/moved');
  machine.crash();
  assert.deepEqual(machine.files(), ['/d/kept']);
  assert.deepEqual(machine.bytes('/d/kept'), bytes(1, 2));
});

test("the machine's disk says how much room there is, of the whole", async () => {
  const space = await new NodeDisk().space(tmpdir());
  assert.ok(space !== null && space.totalBytes > 0);
  assert.ok(space.freeBytes >= 0 && space.freeBytes <= space.totalBytes);
});
