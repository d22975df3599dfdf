import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepOf } from './price-steps.ts';

test('steps are round prices that the tick divides', () => {
  const quarter = 250_000_000;
  assert.deepEqual(
    [1, 3, 5, 9, 15, 30, 300].map((least) => stepOf(quarter, least)),
    [1, 4, 8, 10, 20, 40, 400],
  );
  // A tenth: 0.5, 1, 2.5 and 5.
  assert.deepEqual(
    [4, 8, 20, 45].map((least) => stepOf(100_000_000, least)),
    [5, 10, 20, 50],
  );
});

test('a tick of a thirty-second has round prices too', () => {
  assert.deepEqual(
    [3, 10, 20, 60].map((least) => stepOf(31_250_000, least)),
    [8, 16, 32, 64],
  );
});

test('tiny ticks over huge ranges have a step', () => {
  assert.equal(stepOf(1, 4e6), 5_000_000);
  assert.ok(stepOf(7, 1e9) >= 1e9);
});
