import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const main = join(import.meta.dirname, 'main.ts');
const bin = join(import.meta.dirname, '../bin/tapeloom.js');

const fullDeviceMissing = existsSync('/dev/full') ? false : 'there is no /dev/full here';

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

test('an output that is full ends the process with 1 and a sentence', {
  skip: fullDeviceMissing,
}, () => {
  for (const words of ['--version', '--help', 'completion bash']) {
    const command = `exec "$0" "$@" > /dev/full`;
    const args = ['-c', command, process.execPath, main, ...words.split(' ')];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    const sentence = 'cannot write to the standard output: no space left on device.';
    assert.deepEqual([status, stderr], [1, `tapeloom: ${sentence}\n`], words);
  }
});

test('a reader who has had enough ends the process with 0 and a sentence, as JSON with --json', async () => {
  for (const [words, said] of [
    ['--help', 'tapeloom: stopped: the reader of the output has closed it.\n'],
    [
      '--help --json',
      '{"error":{"code":"OUTPUT_CLOSED","message":"stopped: the reader of the output has closed it.","exitCode":0}}\n',
    ],
  ] as const) {
    const child = spawn(process.execPath, [main, ...words.split(' ')]);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.deepEqual([code, stderr], [0, said], words);
  }
});

test('errors that nobody can be told end the process with their own code', {
  skip: fullDeviceMissing,
}, () => {
  const args = ['-c', 'exec "$0" "$@" 2> /dev/full', process.execPath, main, 'nothing'];
  assert.equal(spawnSync('sh', args).status, 2);
});
