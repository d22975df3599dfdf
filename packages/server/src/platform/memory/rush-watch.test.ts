import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RushWatch } from './rush-watch.ts';

const MIB = 1_048_576;

function looks(shares: readonly number[], heapMib = 200, usedMib = 100): readonly boolean[] {
  const watch = new RushWatch();
  const heap = { heapBytes: heapMib * MIB, usedBytes: usedMib * MIB, externalBytes: 5 * MIB };
  return shares.map((busyShare) => watch.isDue({ busyShare, ...heap }));
}

test('a rush is over once, when the thread has become calm', () => {
  assert.deepEqual(looks([0.1, 0.5, 0.6, 0.5, 0.2, 0.1, 0.1]), [
    false,
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
  assert.deepEqual(looks([0.5, 0.1, 0.5, 0.1]), [false, true, false, true]);
});

test('a thread that is always busy, or never, is left alone', () => {
  assert.ok(!looks([0.9, 0.8, 0.7, 0.9, 0.6]).includes(true));
  assert.ok(!looks([0.1, 0.02, 0.15, 0.01]).includes(true));
});

test('a heap is left alone that is small, or so large that it would take long', () => {
  assert.ok(!looks([0.9, 0.1], 30, 20).includes(true));
  assert.ok(!looks([0.9, 0.1], 600, 300).includes(true));
});

test('memory outside of the heap counts: after a rush, and while there is one whenever it has grown by half', () => {
  const watch = new RushWatch();
  const look = (busyShare: number, externalMib: number) =>
    watch.isDue({
      busyShare,
      heapBytes: 40 * MIB,
      usedBytes: 30 * MIB,
      externalBytes: externalMib * MIB,
    });
  assert.deepEqual([look(0.9, 20), look(0.1, 50)], [false, true]);
  // Growth below 96 MiB does not pay off, and the next growth is measured from what a collection left.
  assert.deepEqual(
    [50, 95, 96, 90, 130, 135, 140, 60, 96].map((mib) => look(0.9, mib)),
    [false, false, true, false, false, true, false, false, true],
  );
});
