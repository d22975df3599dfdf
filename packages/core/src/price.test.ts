import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TICKS_MAX } from './numbers.ts';
import { formatPrice, nanosFromTicks, parseDecimalNanos, ticksFromNanos } from './price.ts';

/** Tick sizes of ES, CL, GC, ZN, 6E and BTC. */
const TICK_SIZES = [250_000_000, 10_000_000, 100_000_000, 15_625_000, 50_000, 5_000_000_000];
const tickSizes = fc.oneof(fc.constantFrom(...TICK_SIZES), fc.integer({ min: 1, max: 1e12 }));
const prices = fc.integer({ min: -TICKS_MAX - 1, max: TICKS_MAX });

test('ticks survive the way to nanos and back', () => {
  fc.assert(
    fc.property(prices, tickSizes, (price, tick) => {
      assert.equal(ticksFromNanos(nanosFromTicks(price, tick), tick), price);
    }),
    { numRuns: 1000 },
  );
});

test('a price off the tick grid has no ticks, however little it is off', () => {
  fc.assert(
    fc.property(prices, fc.integer({ min: 2, max: 1e12 }), fc.nat(), (price, tick, off) => {
      const offNanos = BigInt(1 + (off % (tick - 1)));
      assert.equal(ticksFromNanos(nanosFromTicks(price, tick) + offNanos, tick), null);
    }),
    { numRuns: 1000 },
  );
});

test('a price beyond the range of ticks has none', () => {
  assert.equal(ticksFromNanos(BigInt(TICKS_MAX + 1) * 50_000n, 50_000), null);
  assert.equal(ticksFromNanos(BigInt(-TICKS_MAX - 2) * 50_000n, 50_000), null);
  assert.equal(ticksFromNanos(10n ** 40n, 1), null);
});

test('a price prints with the places its tick size needs', () => {
  const cases: readonly [number, number, string][] = [
    [20_001, 250_000_000, '5000.25'],
    [20_000, 250_000_000, '5000.00'],
    [-3_763, 10_000_000, '-37.63'],
    [-1, 10_000_000, '-0.01'],
    [7_105, 15_625_000, '111.015625'],
    [21_735, 50_000, '1.08675'],
    [18_000, 5_000_000_000, '90000'],
    [0, 100_000_000, '0.0'],
  ];
  for (const [price, tick, text] of cases) assert.equal(formatPrice(price, tick), text);
});

test('what is printed reads back as the same nanos', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e8, max: 1e8 }),
      fc.constantFrom(...TICK_SIZES),
      (price, tick) => {
        assert.equal(parseDecimalNanos(formatPrice(price, tick)), nanosFromTicks(price, tick));
      },
    ),
    { numRuns: 1000 },
  );
});

test('a decimal finer than a nano or written otherwise is refused', () => {
  assert.equal(parseDecimalNanos('0.000000001'), 1n);
  assert.equal(parseDecimalNanos('-0.5'), -500_000_000n);
  for (const text of [
    '',
    '.',
    '1.',
    '.5',
    '+1',
    '1e3',
    '0.0000000001',
    '1,5',
    ' 1',
    'NaN',
    '--1',
  ]) {
    assert.equal(parseDecimalNanos(text), null, JSON.stringify(text));
  }
});
