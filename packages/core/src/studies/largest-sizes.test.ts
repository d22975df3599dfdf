import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { LargestSizes } from './largest-sizes.ts';

it('gives the n-th largest size, or the smallest while there are fewer', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 80, size: 'max' }),
    fc.integer({ min: 1, max: 20 }),
    (sizes, most) => {
      const largest = new LargestSizes(most);
      for (const used of [[1, 2, 3], sizes]) {
        largest.clear();
        assert.equal(largest.smallest, null);
        for (const size of used) largest.add(size);
        const descending = used.toSorted((a, b) => b - a);
        assert.equal(largest.smallest, descending[most - 1] ?? descending.at(-1) ?? null);
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});
