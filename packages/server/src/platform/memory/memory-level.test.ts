import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryLevel } from './memory-level.ts';

/** Looks in half an hour; one every five seconds. */
const HALF_HOUR = 360;

test('a quarter more than the lowest of the last half hour is above the calm level', () => {
  const level = new MemoryLevel();
  assert.deepEqual(
    [300, 310, 375, 376, 1_300, 320].map((bytes) => level.look(bytes)),
    [false, false, false, true, true, false],
  );
});

test('what stays for half an hour is the new calm level', () => {
  const level = new MemoryLevel();
  level.look(300);
  const looks = Array.from({ length: HALF_HOUR + 12 }, () => level.look(500));
  assert.ok(looks.slice(0, HALF_HOUR - 12).every((isAbove) => isAbove));
  assert.equal(looks.at(-1), false);
  assert.equal(level.look(626), true);
});
