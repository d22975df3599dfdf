import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { DirectoryLockedError, lockDirectory } from './directory-lock.ts';

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

test('a lock is held though nobody keeps its handle', { timeout: 60_000 }, async () => {
  const directory = temporaryDirectory();
  const script = `
    import { lockDirectory } from ${JSON.stringify(import.meta.resolve('./directory-lock.ts'))};
    lockDirectory(process.argv[1]);
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise(setImmediate);
      gc();
    }
    console.log('collected');
    setInterval(() => {}, 1000);`;
  const flags = ['--expose-gc', '--input-type=module', '-e', script, directory];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  assert.throws(() => lockDirectory(directory), DirectoryLockedError);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a killed process leaves no lock behind, and its pid is named while it lives', async () => {
  const directory = temporaryDirectory();
  const script = `
    import { lockDirectory } from ${JSON.stringify(import.meta.resolve('./directory-lock.ts'))};
    lockDirectory(process.argv[1]);
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  assert.throws(
    () => lockDirectory(directory),
    (error: unknown) => error instanceof DirectoryLockedError && error.holderPid === child.pid,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDirectory(directory)[Symbol.dispose]();
});
