import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import type { TwinTape } from '../../../core/testing/twins/twin-tape.ts';
import { type Step, stepsOf } from '../../testing/study-steps.ts';
import { BarSeries } from './bar-series.ts';
import { measureBox, rangeSum, vwapPath } from './range.ts';

const RUNS = 60;
const ONE_SESSION = { open: 1_767_571_200_000_000_000n, close: 1_777_571_200_000_000_000n };

const kindOfBar = fc.constantFrom(
  { bar: 'tick', size: 3 },
  { bar: 'volume', size: 5 },
  { bar: 'range', size: 2 },
);

function runOf<I extends string>(id: I, params: object, tape: TwinTape): Step<I>[] {
  return stepsOf<I>(indicatorNamed(id)!, params as never, { ...tape, sessions: [ONE_SESSION] });
}

function barsOf(params: object, tape: TwinTape, group = 1): BarSeries {
  const bars = new BarSeries(group);
  for (const { upserts } of runOf('footprint', { ...params, group }, tape)) bars.putAll(upserts);
  return bars;
}

describe('a range', () => {
  it('of a whole session has its profile, its delta and its VWAP', () => {
    const rules = fc.record({
      group: fc.constantFrom(1, 2, 5),
      valueArea: fc.constantFrom(50, 70),
      pocTie: fc.constantFrom('centre', 'lowest', 'highest'),
    });
    const property = fc.property(randomTape, kindOfBar, rules, (tape, params, given) => {
      const { columns } = barsOf(params, tape);
      const sum = rangeSum(columns, 0, columns.length, given as never);
      const profile = runOf('volume-profile', given, tape).at(-1)?.upserts.at(-1);
      assert.equal(profile === undefined, sum.bars === 0);
      if (profile === undefined) return;
      const { data } = profile;
      assert.deepEqual(
        [sum.volume, sum.delta, sum.high, sum.low, sum.poc, sum.vah, sum.val],
        [data.volume, data.delta, data.high, data.low, data.poc, data.vah, data.val],
      );
      assert.deepEqual(
        data.levels.map(([price]) => price),
        [...sum.levels.price.subarray(0, sum.levels.count)],
      );
      const steps = runOf('vwap', params, tape);
      const vwap = steps.flatMap(({ upserts }) => upserts).at(-1)!.data;
      assert.deepEqual([sum.vwap, sum.deviation], [vwap.vwap, vwap.deviation]);
      assert.ok(sum.isExact);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('has a VWAP after each bar, as the indicator since the open', () => {
    const property = fc.property(randomTape, kindOfBar, (tape, params) => {
      const bars = barsOf(params, tape);
      const known = new Map<string, number[]>();
      for (const { upserts } of runOf('vwap', params, tape)) {
        for (const { id, data } of upserts) known.set(id, [data.vwap, data.deviation]);
      }
      const path = vwapPath(bars.columns, 0, bars.columns.length);
      assert.equal(path.length, known.size);
      for (const { column, vwap, deviation } of path) {
        const bar = bars.columns[column]!;
        assert.ok(bar.kind === 'bar');
        assert.deepEqual([vwap, deviation], known.get(bar.id));
      }
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('is the sum of its parts, and a box of all prices holds all of it', () => {
    const property = fc.property(randomTape, kindOfBar, fc.nat(40), (tape, params, cut) => {
      const { columns } = barsOf(params, tape);
      const [left, right, all] = [
        rangeSum(columns, 0, cut),
        rangeSum(columns, cut, columns.length),
        rangeSum(columns, -5, columns.length + 5),
      ];
      for (const name of ['bars', 'trades', 'volume', 'bid', 'ask', 'unknown', 'delta'] as const) {
        assert.equal(left[name] + right[name], all[name]);
      }
      const box = measureBox(columns, 0, columns.length, Number.NEGATIVE_INFINITY, Infinity);
      assert.deepEqual(
        [box.bars, box.volume, box.bid, box.ask, box.delta, box.ns],
        [all.bars, all.volume, all.bid, all.ask, all.delta, all.ns],
      );
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('without bars has no price, and says so', () => {
    const sum = rangeSum([{ kind: 'gap', fromNs: 0n, endNs: 9n, why: 'missing' }], 0, 1);
    assert.deepEqual([sum.bars, sum.volume, sum.poc, sum.vah, sum.val], [0, 0, null, null, null]);
    assert.ok(Number.isNaN(sum.vwap) && Number.isNaN(sum.high) && Number.isNaN(sum.low));
    assert.deepEqual(vwapPath([], 0, 5), []);
  });

  it('of rows of several ticks is not exact, and its rows are no finer', () => {
    const property = fc.property(randomTape, (tape) => {
      const { columns } = barsOf({ bar: 'tick', size: 3 }, tape, 4);
      const sum = rangeSum(columns, 0, columns.length);
      if (columns.length === 0) return;
      assert.equal(sum.isExact, false);
      assert.equal(sum.levels.group, 4);
      assert.ok(Math.abs(sum.vwap - (sum.high + sum.low) / 2) <= sum.high - sum.low + 4);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('a box counts the prices at its edges', () => {
    const property = fc.property(randomTape, fc.integer({ min: -5, max: 5 }), (tape, shift) => {
      const { columns } = barsOf({ bar: 'tick', size: 3 }, tape);
      const middle = (columns[0]?.kind === 'bar' ? columns[0].open : 0) + shift;
      const [below, above] = [
        measureBox(columns, 0, columns.length, Number.NEGATIVE_INFINITY, middle),
        measureBox(columns, 0, columns.length, middle + 1, Number.POSITIVE_INFINITY),
      ];
      const all = rangeSum(columns, 0, columns.length);
      assert.equal(below.volume + above.volume, all.volume);
    });
    fc.assert(property, { numRuns: RUNS });
  });
});
