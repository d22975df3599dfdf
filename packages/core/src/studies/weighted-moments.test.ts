import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { vwapData } from '../../testing/twins/vwap-twin.ts';
import { LOTS_MAX, type Rank, TICKS_MAX } from '../numbers.ts';
import { allocateBatch } from '../trade-batch.ts';
import { utcDay } from '../utc-day.ts';
import { WeightedMoments } from './weighted-moments.ts';

interface Print {
  readonly price: number;
  readonly size: number;
}

const MULTIPLES = [0n, 1n, -1n, 2n, -2n, 3n, -3n];

const ranges = [
  { price: { min: -3, max: 3 }, size: { min: 1, max: 4 } },
  { price: { min: 20_000, max: 120_000 }, size: { min: 1, max: 1_000_000 } },
  { price: { min: -TICKS_MAX - 1, max: TICKS_MAX }, size: { min: 1, max: LOTS_MAX } },
];

const prints: fc.Arbitrary<Print[]> = fc.constantFrom(...ranges).chain(({ price, size }) =>
  fc.array(fc.record({ price: fc.integer(price), size: fc.integer(size) }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
);

function batchOf(list: readonly Print[]) {
  const batch = allocateBatch(utcDay(20260105), 1 as Rank, list.length);
  for (const [row, { price, size }] of list.entries()) {
    batch.price[row] = price;
    batch.size[row] = size;
  }
  batch.count = list.length;
  return batch;
}

function numbersOf(moments: WeightedMoments) {
  const { deviation, bands } = moments.millionths(MULTIPLES);
  const [vwap, upper1, lower1, upper2, lower2, upper3, lower3] = bands.map(
    (it) => Number(it) / 1e6,
  );
  const volume = moments.lots;
  const exact = { vwap, upper1, lower1, upper2, lower2, upper3, lower3, volume };
  return { ...exact, deviation: Number(deviation) / 1e6 };
}

describe('WeightedMoments', () => {
  it('are exact at any price and size, in rows and in parts, cut anywhere', () => {
    const property = fc.property(prints, fc.nat(), (list, choice) => {
      const expected = vwapData(list);
      const batch = batchOf(list);
      const [whole, cut, single] = [0, 1, 2].map(() => new WeightedMoments());
      whole!.addRows(batch, 0, list.length);
      const at = choice % list.length;
      if (at > 0) cut!.addRows(batch, 0, at);
      cut!.addRows(batch, at, list.length);
      for (const { price, size } of list) single!.add(price, size);
      for (const moments of [whole!, cut!, single!]) assert.deepEqual(numbersOf(moments), expected);
    });
    fc.assert(property, { numRuns: 400 });
  });

  it('forget everything when cleared', () => {
    const moments = new WeightedMoments();
    moments.add(-TICKS_MAX, LOTS_MAX);
    moments.add(TICKS_MAX, LOTS_MAX);
    moments.clear();
    moments.add(7, 3);
    assert.deepEqual(numbersOf(moments), vwapData([{ price: 7, size: 3 }]));
  });
});
