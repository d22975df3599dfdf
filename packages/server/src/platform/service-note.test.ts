import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDirectory } from './disk/directory-lock.ts';
import { leaveServiceNote, readServiceNote } from './service-note.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-note-'));
after(() => rmSync(data, { recursive: true }));
const NOTE = { pid: 7, version: '1', portal: 'http://127.0.0.1:41234', internal: 'http://[::1]:9' };

test('commands read where the running service is, and nothing of one that was killed', () => {
  assert.equal(readServiceNote(data), null);
  const lock = lockDirectory(data);
  assert.equal(readServiceNote(data), null, 'it is not up yet');
  const note = leaveServiceNote(data, NOTE);
  assert.deepEqual(readServiceNote(data), NOTE);
  lock[Symbol.dispose]();
  assert.equal(readServiceNote(data), null, 'it is left behind');
  note[Symbol.dispose]();
  assert.ok(!readdirSync(data).includes('service.json'));
});
