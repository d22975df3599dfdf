import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { waitForDisk } from './disk-again.ts';

test('a disk that takes writes again is told once, after tries that failed', async () => {
  const clock = new ManualClock(0n);
  let tries = 0;
  let told = 0;
  using _waiting = waitForDisk({
    directory: '/data',
    clock,
    onAgain: () => (told += 1),
    tryWriting: async (directory) => {
      assert.equal(directory, '/data');
      tries += 1;
      if (tries < 3) throw new Error('ENOSPC');
    },
  });
  for (let step = 0; step < 2; step += 1) await clock.advance(5_000);
  assert.deepEqual([tries, told], [2, 0]);
  for (let step = 0; step < 5; step += 1) await clock.advance(5_000);
  assert.deepEqual([tries, told], [3, 1]);
});

test('a directory that can be written is left as it was', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-again-'));
  try {
    const clock = new ManualClock(0n);
    const { promise, resolve } = Promise.withResolvers<void>();
    using _waiting = waitForDisk({ directory, clock, onAgain: resolve });
    await clock.advance(5_000);
    await promise;
    assert.deepEqual(readdirSync(directory), []);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
