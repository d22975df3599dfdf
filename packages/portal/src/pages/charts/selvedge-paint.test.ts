import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadsOfDay } from './selvedge-paint.ts';

const MINUTE = 60_000_000_000n;

test('a thread per minute, as long as its delta, and one minute does not flatten the day', () => {
  const day = { openNs: 0n, closeNs: 100n * MINUTE };
  const minutes = Array.from({ length: 100 }, (_, at) => ({
    ...{ fromNs: BigInt(at) * MINUTE, volume: 100 },
    delta: at === 50 ? 100_000 : at % 2 === 0 ? 100 : -25,
  }));
  const threads = threadsOfDay(minutes, day);
  assert.equal(threads.length, 100);
  assert.deepEqual(
    [threads[0]!, threads[1]!, threads[50]!].map(({ x, height }) => [x, height]),
    [
      [0, 1],
      [0.01, -0.5],
      [0.5, 1],
    ],
  );
  assert.deepEqual(threadsOfDay([], day), []);
  assert.deepEqual(threadsOfDay(minutes, { openNs: 5n, closeNs: 5n }), []);
  const still = threadsOfDay([{ fromNs: 0n, delta: 0, volume: 0 }], day);
  assert.deepEqual([still[0]!.x, Math.abs(still[0]!.height)], [0, 0]);
});
