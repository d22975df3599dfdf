import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { replaceFile } from '../../platform/disk/disk.ts';
import { readVenueKey } from './venue-key.ts';

test('a key file is one line with the key, and what is wrong with it is told without the key', async () => {
  const disk = new SimDisk().boot();
  const read = async (text: string) => {
    await replaceFile(disk, 'key', new TextEncoder().encode(text));
    return readVenueKey(disk, 'key');
  };
  assert.equal(await readVenueKey(disk, null), null);
  assert.equal(await read(' db-abc \r\n'), 'db-abc');
  for (const text of ['', ' \n', 'db-geheim\ndb-other', 'key: geheim', 'geheim'.repeat(1_000)]) {
    await assert.rejects(read(text), (error: Error) => {
      assert.match(error.message, /^the key file key has no key: one line with it is expected$/);
      return true;
    });
  }
});
