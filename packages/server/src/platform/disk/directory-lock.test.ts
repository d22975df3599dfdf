import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { DirectoryLockedError, isDirectoryInUse, lockDirectory } from './directory-lock.ts';

const made: string[] = [];
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-lock-'));
  made.push(directory);
  return directory;
}
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

test('a directory is locked once, made when missing, and free again after release', () => {
  const directory = join(temporaryDirectory(), 'deep', 'data');
  const lock = lockDirectory(directory);
  assert.throws(
    () => lockDirectory(directory),
    (error: unknown) =>
      error instanceof DirectoryLockedError &&
      error.holderPid === process.pid &&
      error.message.includes(directory) &&
      error.message.includes(String(process.pid)),
  );
  lock[Symbol.dispose]();
  lockDirectory(directory)[Symbol.dispose]();
});

/** A separate process that locks the directory, drops the handle and runs `then`. */
async function holder(directory: string, then: string) {
  const script = `
    import { lockDirectory } from ${JSON.stringify(import.meta.resolve('./directory-lock.ts'))};
    lockDirectory(process.argv[1]);
    ${then}
    console.log('held');
    setInterval(() => {}, 1000);`;
  const flags = ['--expose-gc', '--input-type=module', '-e', script, directory];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('a lock is held though nobody keeps its handle', async () => {
  const directory = temporaryDirectory();
  const collect =
    'for (let turn = 0; turn < 3; turn += 1) { await new Promise(setImmediate); gc(); }';
  await using _child = await holder(directory, collect);
  assert.throws(() => lockDirectory(directory), DirectoryLockedError);
});

test('a killed process leaves no lock behind, and its pid is named while it lives', async () => {
  const directory = temporaryDirectory();
  {
    await using child = await holder(directory, '');
    assert.throws(
      () => lockDirectory(directory),
      (error: unknown) => error instanceof DirectoryLockedError && error.holderPid === child.pid,
    );
  }
  lockDirectory(directory)[Symbol.dispose]();
});

test('whether a directory is in use can be asked without taking it', () => {
  const directory = temporaryDirectory();
  assert.equal(isDirectoryInUse(directory), false);
  const lock = lockDirectory(directory);
  assert.equal(isDirectoryInUse(directory), true);
  lock[Symbol.dispose]();
  assert.equal(isDirectoryInUse(directory), false);
});
