import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PriceSlots } from './price-slots.ts';

const price = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.integer({ min: -300, max: 300 }).map((n) => n * 4_096),
);

describe('price slots', () => {
  it('numbers prices in the order of first occurrence, whatever they collide with', () => {
    const slots = new PriceSlots();
    const property = fc.property(fc.array(price, { maxLength: 300, size: 'max' }), (prices) => {
      slots.clear();
      assert.equal(slots.count, 0);
      const distinct = [...new Set(prices)];
      for (const it of prices) assert.equal(slots.slotOf(it), distinct.indexOf(it));
      assert.equal(slots.count, distinct.length);
      assert.deepEqual(
        distinct.map((_, slot) => slots.priceOf(slot)),
        distinct,
      );
    });
    fc.assert(property);
  });
});
