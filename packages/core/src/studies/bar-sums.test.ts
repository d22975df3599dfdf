import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rank } from '../numbers.ts';
import { allocateBatch } from '../trade-batch.ts';
import { utcDay } from '../utc-day.ts';
import { BarSums } from './bar-sums.ts';
import { spanOf } from './small-lots.ts';

const SHAPE = { openEdge: null, closeEdge: null, end: '0' };

function batchOf(prints: readonly (readonly [price: number, size: number, side: number])[]) {
  const batch = allocateBatch(utcDay(20260105), rank(1), prints.length);
  for (const [row, [price, size, side]] of prints.entries()) {
    batch.price[row] = price;
    batch.size[row] = size;
    batch.side[row] = side;
  }
  batch.count = prints.length;
  return batch;
}

test('rows add up to what their single trades do, however large they are', () => {
  const print = fc.tuple(
    fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 50 }) },
      { weight: 1, arbitrary: fc.constantFrom(2 ** 15 - 1, 2 ** 15, 2 ** 31 - 1) },
    ),
    fc.constantFrom(-1, 0, 1),
  );
  const runs = fc.array(fc.array(print, { minLength: 1, maxLength: 20 }), { minLength: 1 });
  const property = fc.property(runs, (batches) => {
    const byRows = new BarSums();
    const byTrade = new BarSums();
    for (const prints of batches) {
      const batch = batchOf(prints);
      byRows.addRows(batch, 0, prints.length);
      assert.deepEqual(byRows.span, spanOf(batch, 0, prints.length));
      for (const [price, size, side] of prints) byTrade.addPart(price, size, side);
    }
    assert.deepEqual(byRows.data(SHAPE), byTrade.data(SHAPE));
  });
  fc.assert(property);
});

test('many trades of the largest small size stay exact beyond 32 bits', () => {
  const count = 200_000;
  const sums = new BarSums();
  sums.addRows(batchOf(Array.from({ length: count }, () => [5, 2 ** 15 - 1, -1])), 0, count);
  const { volume, bid, delta, deltaMin, trades } = sums.data(SHAPE);
  const lots = count * (2 ** 15 - 1);
  assert.deepEqual(
    { volume, bid, delta, deltaMin, trades },
    { volume: lots, bid: lots, delta: -lots, deltaMin: -lots, trades: count },
  );
});
