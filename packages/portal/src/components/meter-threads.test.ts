import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadsOf } from './meter-threads.ts';

function lit(share: number, count = 60) {
  return threadsOf(share, count, false).threads.filter(({ isLit }) => isLit).length;
}

test('threads are lit as far as the use goes: some use always shows, and only all of it is all', () => {
  assert.deepEqual(
    [0, 0.0001, 0.5, 0.999, 1, 2].map((share) => lit(share)),
    [0, 1, 30, 59, 60, 60],
  );
  assert.deepEqual([lit(0.4, 5), lit(1, 1), lit(0.5, 1)], [2, 1, 1]);
});

test('a meter warns from 80 % on, or because the pace does not last, and is over at 100 %', () => {
  const level = (share: number, isWarning = false) => threadsOf(share, 60, isWarning).level;
  assert.deepEqual(
    [level(0.79), level(0.8), level(1), level(0.5, true)],
    ['', 'warn', 'danger', 'warn'],
  );
});

test('threads fill the width from edge to edge', () => {
  const { threads } = threadsOf(0.5, 60, false);
  const last = threads.at(-1)!;
  assert.equal(threads[0]!.x, 0);
  assert.ok(Math.abs(last.x + last.width - 600) < 0.02);
});
