import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { diskFault, mayPass } from './disk-fault.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-disk-fault-'));
after(() => rmSync(root, { recursive: true, force: true }));

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('faults of the system and of SQLite are told in words, also behind other errors', () => {
  writeFileSync(join(root, 'file'), '');
  const notThere = thrownBy(() => mkdirSync(join(root, 'file', 'x')));
  assert.equal(diskFault(notThere), 'a file is where a directory should be');
  const closed = thrownBy(() => new DatabaseSync(join(root, 'none', 'x.db')));
  assert.equal(diskFault(closed), 'no file can be opened or made there');
  const full = new Error('ENOSPC: no space left on device, write');
  assert.equal(diskFault(new Error('the tape has stopped', { cause: full })), 'the disk is full');
  assert.equal(diskFault(new Error(`the tape has stopped: ${full.message}`)), 'the disk is full');
  assert.equal(diskFault(new Error('database or disk is full')), 'the disk is full');
});

test('other errors are none, and only what may pass is waited for', () => {
  assert.equal(diskFault(new Error('listen EACCES: permission denied 0.0.0.0:80')), null);
  assert.equal(diskFault(new TypeError('x is not a function')), null);
  assert.equal(diskFault('ENOSPC'), null);
  assert.equal(mayPass(new Error('EROFS: read-only file system, open')), true);
  assert.equal(mayPass(new Error('EACCES: permission denied, open')), false);
  assert.equal(mayPass(new Error('x')), false);
});
