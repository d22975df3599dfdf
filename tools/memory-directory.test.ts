import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryDirectory } from './memory-directory.ts';

test('a directory goes with its process, and what a killed one left goes with the next', (t) => {
  const memory = mkdtempSync(join(tmpdir(), 'memory-directory-'));
  t.after(() => rmSync(memory, { recursive: true }));
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [left, other] = [join(memory, `tapeloom-tests-${pid}`), join(memory, `others-${pid}`)];
  for (const path of [left, other]) mkdirSync(path);
  const program = `
    const { memoryDirectory } = await import(${JSON.stringify(import.meta.resolve('./memory-directory.ts'))});
    const path = memoryDirectory(${JSON.stringify(memory)});
    process.stdout.write(path + ' ' + (await import('node:fs')).existsSync(path));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  const [made, existed] = String(stdout).split(' ');
  assert.equal(existed, 'true');
  assert.deepEqual([made!, left, other].map(existsSync), [false, false, true]);
});

test('where there is no such place there is none', () => {
  assert.equal(memoryDirectory('/no/such/place'), null);
});
