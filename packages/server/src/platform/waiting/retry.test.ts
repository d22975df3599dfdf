import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { type Backoff, backoffMs, type RetryTerms, retry } from './retry.ts';

const BACKOFF: Backoff = { firstMs: 100, lastMs: 1_000 };

/** Runs everything that waits for no timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that fails `fails` times, and the times of its tries. */
function failing(fails: number, terms: Partial<RetryTerms> = {}) {
  const clock = new ManualClock(0n);
  const triedMs: number[] = [];
  const done = retry(
    async () => {
      triedMs.push(Number(clock.now()) / 1_000_000);
      if (triedMs.length <= fails) throw new Error(`failure ${triedMs.length}`);
      return 'done';
    },
    { clock, backoff: BACKOFF, passes: () => true, ...terms },
  );
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await settle();
      clock.advance(100);
    }
    await settle();
  };
  return { clock, triedMs, done, pass };
}

test('what passes is tried again after doubling waits, up to the last', async () => {
  const { clock, triedMs, done, pass } = failing(6);
  await pass(5_000);
  assert.equal(await done, 'done');
  assert.deepEqual(triedMs, [0, 100, 300, 700, 1_500, 2_500, 3_500]);
  assert.equal(clock.timerCount, 0);
});

test('a failure that does not pass rejects at once; the caller hears how many tries there were', async () => {
  const heard: unknown[] = [];
  const passes = async (error: unknown, tries: number) => {
    heard.push((error as Error).message, tries);
    return tries < 3;
  };
  const { triedMs, done, pass } = failing(9, { passes });
  const failed = assert.rejects(done, /failure 3/);
  await pass(1_000);
  await failed;
  assert.deepEqual(triedMs, [0, 100, 300]);
  assert.deepEqual(heard, ['failure 1', 1, 'failure 2', 2, 'failure 3', 3]);
});

test('an abort ends the wait, and the try that follows is the last', async () => {
  const stopping = new AbortController();
  const { clock, triedMs, done } = failing(9, { signal: stopping.signal });
  const failed = assert.rejects(done, /failure 2/);
  await settle();
  stopping.abort();
  await failed;
  assert.deepEqual([triedMs, clock.timerCount], [[0, 0], 0]);
});

test('what was aborted before is tried once', async () => {
  const { clock, triedMs, done } = failing(9, { signal: AbortSignal.abort() });
  await assert.rejects(done, /failure 1/);
  assert.deepEqual([triedMs, clock.timerCount], [[0], 0]);
});

test('waits never shrink, never exceed the last, and jitter only lengthens them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(2_000),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (firstMs, lastMs, factor, waits, random) => {
        const plain = { firstMs, lastMs, factor };
        const ms = backoffMs(waits, plain);
        assert.ok(ms <= lastMs && ms >= Math.min(firstMs, lastMs));
        assert.ok(backoffMs(waits + 1, plain) >= ms);
        const jittered = backoffMs(waits, {
          ...plain,
          jitter: { share: 0.5, random: () => random },
        });
        assert.ok(jittered >= ms && jittered <= Math.min(lastMs, ms * 1.5));
      },
    ),
  );
});
