import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applied, deltaOf } from './version-delta.ts';

const rows = fc
  .uniqueArray(
    fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat({ max: 3 }), fc.nat({ max: 3 })),
    {
      selector: ([price]) => price,
      maxLength: 12,
    },
  )
  .map((list) => list.sort(([a], [b]) => a - b));
const footprints = fc.record({
  open: fc.integer(),
  close: fc.integer(),
  end: fc.bigInt({ min: 0n }).map(String),
  levels: rows,
  poc: fc.option(fc.integer()),
  imbalances: fc.array(fc.tuple(fc.integer({ max: 5 }), fc.constantFrom(-1, 1)), { maxLength: 5 }),
});

function assertSame(before: unknown, after: unknown): void {
  assert.equal(JSON.stringify(applied(before, deltaOf(before, after))), JSON.stringify(after));
}

test('a change that is applied gives the same text, whatever the versions are', () => {
  fc.assert(
    fc.property(footprints, footprints, (before, after) => {
      const kept = JSON.stringify(before);
      assertSame(before, after);
      assert.equal(JSON.stringify(before), kept, 'the older version is not touched');
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => assertSame(before, after)),
  );
});

test('of a trade in a bar of a hundred levels, only its level and the sums are kept', () => {
  const levels = Array.from({ length: 100 }, (_, at) => [20_000 + at, 5, 7]);
  const before = { open: 1, high: 9, close: 5, volume: 100, levels, poc: 20_010 };
  const after = {
    ...{ ...before, close: 6, volume: 103 },
    levels: levels.map((row) => (row[0] === 20_050 ? [20_050, 5, 10] : row)),
  };
  assert.deepEqual(deltaOf(before, after), {
    fields: [
      ['close', 6],
      ['volume', 103],
    ],
    rows: [{ field: 'levels', rows: [[20_050, 5, 10]], gone: [] }],
  });
});

test('the first version, and one with other fields, are kept whole', () => {
  const data = { a: 1, b: [] };
  assert.deepEqual(deltaOf(undefined, data), { whole: data });
  assert.deepEqual(deltaOf({ b: [], a: 1 }, data), { whole: data });
  assert.deepEqual(deltaOf(data, { ...data }), { fields: [], rows: [] });
});
