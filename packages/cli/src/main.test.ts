import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const main = join(import.meta.dirname, 'main.ts');
const bin = join(import.meta.dirname, '../bin/tapeloom.js');

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('the process prints its version and ends with 0', () => {
  const { status, stdout, stderr } = run(main, '--version');
  assert.match(stdout, /^tapeloom \d+\.\d+\.\d+\n$/);
  assert.deepEqual([status, stderr], [0, '']);
});

test('wrong words end the process with 2 and say so on stderr only', () => {
  const { status, stdout, stderr } = run(main, 'frobnicate');
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /unknown command "frobnicate"/);
});

test('the installed command runs the same program', () => {
  assert.deepEqual(run(bin, '--version'), run(main, '--version'));
});

test('the installed command, started by an older Node, hands over to the pinned one', () => {
  const older = 'Object.defineProperty(process.versions, "node", { value: "20.1.0" })';
  const { status, stdout, stderr } = run(`--import=data:text/javascript,${older}`, bin, 'nothing');
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /unknown command "nothing"/);
});
