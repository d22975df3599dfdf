import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onGrid } from './on-grid.ts';

test('decimal texts are exact numbers of ticks, and a number off the grid is never rounded', () => {
  const cases: readonly (readonly [string, number, number])[] = [
    ['100.25', 250_000_000, 401],
    ['-0.50', 250_000_000, -2],
    ['100', 1_000_000_000, 100],
    ['1e-7', 100, 1],
    ['12E2', 1_000_000_000, 1_200],
    ['98765432.1', 100_000_000, 987_654_321],
    ['100.1', 250_000_000, 400.4],
    ['60000.12345', 100_000_000, 600_001.2345],
    ['0.0000000001', 1, 0.1],
    ['100.00000000000000000001', 1_000_000_000, 100.5],
    ['100.250000000000', 250_000_000, 401],
  ];
  for (const [text, unit, units] of cases) assert.equal(onGrid(text, unit), units, text);
  for (const text of ['', '.', '1,5', '0x10', 'NaN', '1e', ' 1', '9'.repeat(41)]) {
    assert.ok(Number.isNaN(onGrid(text, 1)), text);
  }
});

test('every number on a grid is read exactly, however it is written', () => {
  const unit = fc.constantFrom(1, 100, 25_000_000, 250_000_000, 500_000_000, 10 ** 9, 10 ** 11);
  fc.assert(
    fc.property(unit, fc.integer({ min: -(2 ** 31), max: 2 ** 31 }), (unitNanos, units) => {
      const nanos = BigInt(units) * BigInt(unitNanos);
      const absolute = nanos < 0n ? -nanos : nanos;
      const decimals = `${absolute % 10n ** 9n}`.padStart(9, '0');
      const text = `${nanos < 0n ? '-' : ''}${absolute / 10n ** 9n}.${decimals}`;
      for (const one of [text, text.replace(/0+$/, ''), text.replace(/\.?0+$/, '')]) {
        if (one !== '-' && one !== '') assert.equal(onGrid(one, unitNanos) + 0, units, one);
      }
      const off = onGrid(`${text}5`, unitNanos);
      assert.ok(!Number.isInteger(off), `${text}5`);
    }),
  );
});
