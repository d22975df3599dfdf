import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { COUNT_MAX, perSecond } from './per-second.ts';

describe('a count per second', () => {
  it('is rounded as whole numbers round it, for any count and time', () => {
    const count = fc.oneof(
      fc.nat({ max: COUNT_MAX }),
      fc.nat({ max: 100_000 }),
      fc.nat({ max: 1_000 }).map((below) => COUNT_MAX - below),
    );
    const seconds = fc.oneof(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.constantFrom(1, 3, 15, 128, 3_600, 2 ** 17, 86_400, 604_800),
    );
    const property = fc.property(count, seconds, (trades, time) => {
      const millionths = (2_000_000n * BigInt(trades) + BigInt(time)) / (2n * BigInt(time));
      assert.equal(perSecond(trades, time), Number(millionths) / 1_000_000);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it('rounds a half up', () => {
    assert.equal(perSecond(1, 128), 0.007813);
    assert.equal(perSecond(3, 128), 0.023438);
  });
});
