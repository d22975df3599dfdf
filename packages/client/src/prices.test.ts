import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
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

test('an average between two ticks is rounded to the places of the tick size', () => {
  assert.equal(priceText(24_421.333333, 250_000_000), '6105.33');
  assert.equal(priceOf(24_421.333333, 250_000_000), 6105.33333325);
  assert.equal(priceText(40_125.123457, 100_000_000), '4012.5');
  assert.equal(priceText(20_000.5, 5_000_000_000), '100003');
  assert.equal(priceText(-0.5, 10_000_000), '-0.01');
  assert.equal(priceText(-0.4, 10_000_000), '0.00');
  assert.equal(priceText(0.999999, 10_000_000), '0.01');
  assert.equal(priceText(2 ** 31 + 0.5, 1_000_000_000_000), '2147483648500');
});

test('every number of every indicator becomes a price, whatever the tick size', () => {
  const tickSizes = [250_000_000, 100_000_000, 10_000_000, 50_000, 1, 5_000_000_000, 333_333_333];
  for (const { id, example } of INDICATORS) {
    for (const value of numbersOf(example.data)) {
      for (const tickSizeNanos of tickSizes) {
        const price = priceOf(value, tickSizeNanos);
        const text = priceText(value, tickSizeNanos);
        const places = text.split('.')[1]?.length ?? 0;
        assert.ok(
          Math.abs(price - Number(text)) <= 0.51 * 10 ** -places,
          `${id}: ${value} ${text}`,
        );
      }
    }
  }
});

function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}
