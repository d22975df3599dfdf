import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LOTS_MAX, lots, RANK_MAX, rank, TICKS_MAX, ticks } from './numbers.ts';

const CONSTRUCTORS = [
  { make: ticks, least: -TICKS_MAX - 1, most: TICKS_MAX },
  { make: lots, least: 0, most: LOTS_MAX },
  { make: rank, least: 0, most: RANK_MAX },
];

test('every branded number takes exactly the whole numbers of its range', () => {
  for (const { make, least, most } of CONSTRUCTORS) {
    assert.equal(make(least), least);
    assert.equal(make(most), most);
    assert.throws(() => make(least - 1), RangeError);
    assert.throws(() => make(most + 1), RangeError);
    fc.assert(
      fc.property(fc.integer({ min: least, max: most }), (value) => make(value) === value),
      { numRuns: 200 },
    );
  }
});

test('a branded number refuses fractions, infinities and not-a-number and says what it got', () => {
  for (const { make } of CONSTRUCTORS) {
    for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      assert.throws(() => make(value), { name: 'RangeError', message: new RegExp(`${value}$`) });
    }
  }
});
