import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Rank } from '../numbers.ts';
import { allocateBatch } from '../trade-batch.ts';
import { utcDay } from '../utc-day.ts';
import { PriceHistogram } from './price-histogram.ts';

interface Print {
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

function batchOf(prints: readonly Print[]) {
  const batch = allocateBatch(utcDay(20260105), 1 as Rank, prints.length);
  for (const [row, { price, size, side }] of prints.entries()) {
    batch.price[row] = price;
    batch.size[row] = size;
    batch.side[row] = side;
  }
  batch.count = prints.length;
  return batch;
}

function read(histogram: PriceHistogram): number[][] {
  const { count, price, bid, ask, unknown, total } = histogram.rows();
  return Array.from({ length: count }, (_, row) => [
    price[row]!,
    bid[row]!,
    ask[row]!,
    unknown[row]!,
    total[row]!,
  ]);
}

function naive(prints: readonly Print[], group: number): number[][] {
  const rowOf = ({ price }: Print) => Math.floor(price / group) * group;
  const prices = [...new Set(prints.map(rowOf))].sort((a, b) => a - b);
  return prices.map((price) => {
    const mine = prints.filter((print) => rowOf(print) === price);
    const of = (side: number) =>
      mine.filter((print) => print.side === side).reduce((all, print) => all + print.size, 0);
    return [price, of(-1), of(1), of(0), of(-1) + of(1) + of(0)];
  });
}

const EDGES = [-(2 ** 31), 2 ** 31 - 1, 0, -1];
const print = fc.record({
  price: fc.oneof(
    fc.integer({ min: 26_900, max: 27_400 }),
    fc.integer({ min: -40, max: 40 }).map((n) => n * 256),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.constantFrom(...EDGES),
  ),
  size: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(2 ** 31 - 1)),
  side: fc.constantFrom(-1, 0, 1),
});

describe('PriceHistogram', () => {
  it('holds what a plain list of prints adds up to, over any prices, bar after bar', () => {
    const bar = fc.array(print, { maxLength: 700, size: 'max' });
    const property = fc.property(
      fc.array(bar, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 2, 5, 10_000),
      (bars, group) => {
        const histogram = new PriceHistogram(group);
        for (const prints of bars) {
          histogram.clear();
          const half = prints.length >> 1;
          histogram.addRows(batchOf(prints), 0, half);
          for (const { price, size, side } of prints.slice(half)) histogram.add(price, size, side);
          assert.deepEqual(read(histogram), naive(prints, group));
        }
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it('needs time and memory by the prices that traded, not by the distance between them', () => {
    const histogram = new PriceHistogram(1);
    const far = batchOf([
      { price: -(2 ** 31), size: 1, side: 1 },
      { price: 2 ** 31 - 1, size: 2, side: -1 },
      { price: 100_000, size: 3, side: 0 },
    ]);
    const before = process.memoryUsage().arrayBuffers;
    for (let bar = 0; bar < 100_000; bar += 1) {
      histogram.clear();
      histogram.addRows(far, 0, 3);
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
    assert.deepEqual(
      read(histogram).map(([price]) => price),
      [-(2 ** 31), 100_000, 2 ** 31 - 1],
    );
  });

  it('stays exact where many trades of the largest small size exceed 32 bits', () => {
    const histogram = new PriceHistogram(1);
    const count = 200_000;
    const small = { price: 27_000, size: 2 ** 15 - 1, side: 1 };
    const large = { price: 27_000, size: 2 ** 15, side: 1 };
    histogram.addRows(batchOf(Array.from({ length: count }, () => small)), 0, count);
    histogram.addRows(batchOf([small, large, small]), 0, 3);
    histogram.addRows(batchOf(Array.from({ length: count }, () => small)), 0, count);
    const ask = (2 * count + 2) * small.size + large.size;
    assert.deepEqual(read(histogram), [[27_000, 0, ask, 0, ask]]);
    assert.equal(histogram.rows().touched[0], 2 * count + 3);
  });

  it('tells which row got to its volume first', () => {
    const histogram = new PriceHistogram(2);
    const prices = [11, 12, 10, 12, 14];
    histogram.addRows(batchOf(prices.map((price) => ({ price, size: 1, side: 1 }))), 0, 5);
    const { count, touched } = histogram.rows();
    assert.deepEqual([...touched.subarray(0, count)], [3, 4, 5]);
  });
});
