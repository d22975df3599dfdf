import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { MIB } from '@tapeloom/core/units';
import { boundHeaps, type StartedProcess } from './bound-heaps.ts';

const MODULE = join(import.meta.dirname, 'bound-heaps.ts');
const ROOM_BYTES_MAX = 33 * MIB;
/** Lets so many young objects survive, in a worker and beside it, that V8 uses all the space allowed for them. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { boundHeaps } from ${JSON.stringify(MODULE)};
if (isMainThread) {
  boundHeaps();
  const [pid, words, main] = [process.pid, process.argv.slice(2), roomBytes()];
  new Worker(new URL(import.meta.url)).on('message', (worker) =>
    console.log(JSON.stringify({ pid, words, main, worker })),
  );
} else parentPort.postMessage(roomBytes());

function roomBytes() {
  const kept = [];
  for (let at = 0; at < 3_000_000; at += 1) kept[at % 200_000] = [at];
  return getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
}
`;

test('a service replaces itself once, and its threads keep little room for young objects', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-heaps-'));
  const path = join(directory, 'program.mjs');
  writeFileSync(path, PROGRAM);
  try {
    const running = promisify(execFile)(process.execPath, [path, 'one word', '--option']);
    const { stdout, stderr } = await running;
    const { pid, words, main, worker } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.equal(stderr, '');
    assert.equal(pid, running.child.pid);
    assert.deepEqual(words, ['one word', '--option']);
    assert.ok((main as number) <= ROOM_BYTES_MAX, `main thread: ${main} bytes`);
    assert.ok((worker as number) <= ROOM_BYTES_MAX, `worker: ${worker} bytes`);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("an operator's own bound stays, from the command line and from NODE_OPTIONS", () => {
  const asked = { execArgv: ['--max-semi-space-size=64'] };
  assert.deepEqual(replacements(asked), []);
  assert.deepEqual(replacements({ execArgv: ['--max_semi_space_size=64'] }), []);
  assert.deepEqual(
    replacements({ env: { NODE_OPTIONS: '--no-warnings --max-semi-space-size=64' } }),
    [],
  );
});

test('options of the runtime and arguments of the program are kept, each in its place', () => {
  const [first, ...others] = replacements({ execArgv: ['--no-warnings'] });
  const { execPath } = process;
  assert.deepEqual(first, [
    execPath,
    '--max-semi-space-size=16',
    '--heap-growing-percent=50',
    '--no-warnings',
    'program.js',
    'serve',
  ]);
  assert.deepEqual(others, []);
});

test('a process that its parent talks to is not replaced: it would lose the channel', () => {
  assert.deepEqual(replacements({ channel: {} as NonNullable<StartedProcess['channel']> }), []);
  assert.deepEqual(replacements({ platform: 'win32' }), []);
});

/** The arguments with which such a process would replace itself. */
function replacements(of: Partial<StartedProcess>): (readonly string[])[] {
  const replaced: (readonly string[])[] = [];
  const started = {
    argv: [process.execPath, 'program.js', 'serve'],
    execArgv: [],
    execPath: process.execPath,
    platform: 'linux',
    env: {},
    channel: undefined,
    execve: (_file: string, args: readonly string[]) => {
      replaced.push(args);
      return undefined as never;
    },
    ...of,
  } as StartedProcess;
  boundHeaps(started);
  return replaced;
}
