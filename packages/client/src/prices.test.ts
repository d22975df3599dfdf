import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { priceOf, priceText } from './prices.ts';

test('ticks become currency', () => {
  assert.equal(priceOf(24_421, 250_000_000), 6105.25);
  assert.equal(priceText(24_421, 250_000_000), '6105.25');
  assert.equal(priceText(20_000, 250_000_000), '5000.00');
  assert.equal(priceText(12_345, 5_000_000_000), '61725');
  assert.equal(priceText(-1, 10_000_000), '-0.01');
  assert.equal(priceText(-150, 10_000_000), '-1.50');
  assert.equal(priceText(0, 1), '0.000000000');
  assert.equal(priceOf(3, 100_000_000), 0.3);
});

test('the text is exact and the number is the one nearest to it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.integer({ min: 1, max: 1_000_000_000_000 }),
      (ticks, tickSizeNanos) => {
        const text = priceText(ticks, tickSizeNanos);
        const [units, fraction = ''] = text.replace('-', '').split('.');
        const nanos = BigInt(units! + fraction.padEnd(9, '0'));
        const signed = text.startsWith('-') ? -nanos : nanos;
        assert.equal(signed, BigInt(ticks) * BigInt(tickSizeNanos));
        assert.equal(priceOf(ticks, tickSizeNanos) + 0, Number(text) + 0);
      },
    ),
  );
});
