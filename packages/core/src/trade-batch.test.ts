import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rank } from './numbers.ts';
import { allocateBatch, firstRowAt } from './trade-batch.ts';
import { utcDay } from './utc-day.ts';

test('a new batch is empty and has room in every column', () => {
  const batch = allocateBatch(utcDay(20261113), rank(1), 3);
  assert.equal(batch.count, 0);
  for (const column of [batch.ts, batch.price, batch.size, batch.side]) {
    assert.equal(column.length, 3);
  }
});

test('the first row at a time equals what a scan finds, in any part of a column', () => {
  const times = fc
    .array(fc.nat({ max: 40 }), { maxLength: 120 })
    .map((values) => Float64Array.from(values).sort());
  fc.assert(
    fc.property(
      times,
      fc.nat({ max: 130 }),
      fc.nat({ max: 130 }),
      fc.integer({ min: -1, max: 42 }),
      (ts, a, b, ns) => {
        const to = Math.min(a, ts.length);
        const from = Math.min(b, to);
        let expected = from;
        while (expected < to && ts[expected]! < ns) expected += 1;
        assert.equal(firstRowAt(ts, from, to, ns), expected);
      },
    ),
    { numRuns: 5000 },
  );
});

test('rows beyond the end are never looked at', () => {
  const ts = Float64Array.of(1, 2, 3, 0, 0);
  assert.equal(firstRowAt(ts, 0, 3, 3), 2);
  assert.equal(firstRowAt(ts, 0, 3, 4), 3);
  assert.equal(firstRowAt(ts, 3, 3, 0), 3);
});
