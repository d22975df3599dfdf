import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PageFolder } from './page-folder.ts';

const scratch = mkdtempSync(join(tmpdir(), 'page-folder-'));
after(() => rmSync(scratch, { recursive: true }));
let folders = 0;
const freshFolder = () => join(scratch, String(folders++));
const nameOf = (number: number) => number.toString(16).padStart(64, '0');
/** Bytes that cannot be compressed. */
const noise = (length: number) => {
  const bytes = Buffer.alloc(length);
  for (let at = 0, seed = 1; at < length; at += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    bytes[at] = seed;
  }
  return bytes;
};
const sizeOf = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
const MIB = 1024 ** 2;

test('the folder never holds more than it may, and what was not used longest goes first', async () => {
  const path = freshFolder();
  const folder = new PageFolder(path, MIB);
  for (let number = 0; number < 60; number += 1) {
    await folder.write(nameOf(number), { etag: '"x"', body: noise(30_000) });
    // Files of the same moment have no order.
    utimesSync(join(path, `${nameOf(number)}.page`), number, number);
    await folder.touch(nameOf(0));
    assert.ok(sizeOf(path) <= MIB, `${number}`);
  }
  assert.notEqual(await folder.read(nameOf(0)), null);
  assert.equal(await folder.read(nameOf(1)), null);
  assert.notEqual(await folder.read(nameOf(59)), null);
  await folder.write(nameOf(99), { etag: '"x"', body: noise(MIB) });
  assert.equal(await folder.read(nameOf(99)), null);
});

test("files of others and drafts in the making are left alone, a killed process's are removed", async () => {
  const path = freshFolder();
  await new PageFolder(path, MIB).write(nameOf(1), { etag: '"x"', body: noise(100) });
  const mine = join(path, 'notes.txt');
  const young = join(path, `${nameOf(2)}.00000000-0000-4000-8000-000000000000.new`);
  const old = join(path, `${nameOf(3)}.00000000-0000-4000-8000-000000000000.new`);
  for (const file of [mine, young, old]) writeFileSync(file, 'x');
  for (const file of [mine, old]) utimesSync(file, 1, 1);
  await new PageFolder(path, MIB).write(nameOf(4), { etag: '"x"', body: noise(100) });
  assert.deepEqual(
    readdirSync(path)
      .filter((name) => !name.endsWith('.page'))
      .sort(),
    [young.slice(path.length + 1), 'notes.txt'],
  );
});
