import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndicatorObject } from '@tapeloom/client/stream';
import fc from 'fast-check';
import { BarSeries } from './bar-series.ts';
import type { GapColumn } from './chart-bar.ts';
import { compareObjectIds } from './object-order.ts';

type BarsObject = IndicatorObject<'bars'>;

function barAt(id: string, ts: bigint, lots = 1, final = true): BarsObject {
  const prices = { open: 1, high: 1, low: 1, close: 1 };
  const sums = { volume: lots, bid: 0, ask: lots, unknown: 0, trades: 1 };
  const delta = { delta: lots, deltaMin: 0, deltaMax: lots };
  return { id, final, ts, data: { ...prices, ...sums, ...delta, end: String(ts + 1n) } };
}

function gapAt(fromNs: bigint, endNs: bigint): GapColumn {
  return { kind: 'gap', fromNs, endNs, why: 'missing' };
}

function told(bars: BarSeries): string[] {
  return bars.columns.map((it) => (it.kind === 'bar' ? it.id : `gap ${it.fromNs}`));
}

describe('the columns of a chart', () => {
  it('stand in order of time, then of their ids as numbers', () => {
    const bars = new BarSeries();
    bars.put(barAt('20260105.10.2', 5n));
    bars.put(barAt('20260105.9', 5n));
    bars.putAll([barAt('20260105.10.10', 5n), barAt('20260105.2', 4n)]);
    bars.putGap(gapAt(5n, 6n));
    assert.deepEqual(told(bars), [
      ...['20260105.2', 'gap 5', '20260105.9', '20260105.10.2', '20260105.10.10'],
    ]);
    assert.deepEqual(
      [3n, 4n, 5n, 9n].map((ns) => bars.columnAt(ns)),
      [-1, 0, 4, 4],
    );
  });

  it('are the same, one by one and in pages, in any order', () => {
    const step = fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      ns: fc.integer({ min: 0, max: 6 }),
      what: fc.constantFrom('put', 'put', 'put', 'page', 'gap', 'remove'),
    });
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const bars = new BarSeries();
      const known = new Map<string, bigint>();
      const gaps = new Map<bigint, GapColumn>();
      for (const { id: n, ns, what } of steps) {
        const [id, ts] = [`1.${n}`, BigInt(ns)];
        if (what === 'gap') {
          const gap = gapAt(ts, ts + BigInt(n));
          gaps.set(ts, gap);
          bars.putGap(gap);
        } else if (what === 'remove') {
          known.delete(id);
          bars.remove(id);
        } else {
          known.set(id, ts);
          if (what === 'put') bars.put(barAt(id, ts));
          else bars.putAll([barAt(id, ts)]);
        }
        const expected = [
          ...[...known].map(([id, ts]) => ({ id, ts, isGap: false })),
          ...[...gaps.keys()].map((ts) => ({ id: `gap ${ts}`, ts, isGap: true })),
        ].sort((a, b) => {
          if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
          if (a.isGap !== b.isGap) return a.isGap ? -1 : 1;
          return compareObjectIds(a.id, b.id);
        });
        assert.deepEqual(
          told(bars),
          expected.map(({ id }) => id),
        );
        for (const [at, { id, isGap }] of expected.entries()) {
          assert.equal(bars.indexOf(id), isGap ? -1 : at);
        }
        assert.equal(bars.columnAt(3n), expected.filter(({ ts }) => ts <= 3n).length - 1);
        assert.equal(bars.last?.id, expected.findLast(({ isGap }) => !isGap)?.id);
        for (const { fromNs, endNs } of bars.columns.filter(({ kind }) => kind === 'gap')) {
          assert.equal(endNs, gaps.get(fromNs)!.endNs);
        }
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('a bar that comes again unchanged stays the same object, and nothing is redrawn', () => {
    const bars = new BarSeries();
    bars.put(barAt('1.1', 1n, 5, false));
    const [bar, revision] = [bars.last, bars.revision];
    bars.put(barAt('1.1', 1n, 5, false));
    bars.putAll([barAt('1.1', 1n, 5, false)]);
    assert.equal(bars.last, bar);
    assert.equal(bars.revision, revision);
    bars.put(barAt('1.1', 1n, 5, true));
    assert.notEqual(bars.last, bar);
    assert.notEqual(bars.revision, revision);
  });

  it('bars of the indicator "bars" have no levels, an empty brick has none that traded', () => {
    const bars = new BarSeries();
    bars.put(barAt('1.1', 1n));
    assert.equal(bars.last!.levels, null);
    const { data } = barAt('1.2', 2n);
    const keys = { poc: null, vah: null, val: null, imbalances: [], levels: [] };
    bars.put({ id: '1.2', final: true, ts: 2n, data: { ...data, ...keys } });
    assert.equal(bars.last!.levels!.count, 0);
  });

  it('nothing is left after it is cleared', () => {
    const bars = new BarSeries();
    bars.put(barAt('1.1', 1n));
    bars.putGap(gapAt(2n, 3n));
    bars.clear();
    assert.deepEqual([bars.columns.length, bars.last, bars.get('1.1')], [0, null, undefined]);
  });
});
