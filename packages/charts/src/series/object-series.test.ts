import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareObjectIds } from './object-order.ts';
import { ObjectSeries } from './object-series.ts';

const objectAt = (id: string, ts: bigint, data: unknown = null) => ({ id, final: true, ts, data });

describe('the objects of an indicator', () => {
  it('stand in order of time and id, whatever is put, moved, removed and dropped', () => {
    const step = fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      ns: fc.integer({ min: 0, max: 6 }),
      what: fc.constantFrom('put', 'put', 'put', 'all', 'remove', 'drop'),
    });
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const series = new ObjectSeries();
      const known = new Map<string, { ts: bigint; removedNs: bigint | null }>();
      for (const { id: n, ns, what } of steps) {
        const [id, ts] = [`1.${n}`, BigInt(ns)];
        const before = known.get(id);
        if (what === 'drop') {
          known.delete(id);
          series.drop(id);
        } else if (what === 'remove') {
          if (before !== undefined) known.set(id, { removedNs: ts, ...kept(before) });
          series.remove(id, ts);
        } else {
          known.set(id, { ts, removedNs: null });
          if (what === 'put') series.put(objectAt(id, ts));
          else series.putAll([objectAt(id, ts)]);
        }
        const expected = [...known].sort(([a, { ts: left }], [b, { ts: right }]) =>
          left === right ? compareObjectIds(a, b) : left < right ? -1 : 1,
        );
        assert.deepEqual(
          series.all.map(({ id, ts, removedNs }) => [id, { ts, removedNs }]),
          expected,
        );
        assert.equal(series.size, known.size);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('a removed object is shown up to its first removal, and stands again when it is put again', () => {
    const series = new ObjectSeries();
    series.put(objectAt('1.1', 1n));
    series.remove('1.1', 5n);
    series.remove('1.1', 9n);
    assert.equal(series.get('1.1')!.removedNs, 5n);
    series.put(objectAt('1.1', 1n));
    assert.equal(series.get('1.1')!.removedNs, null);
  });

  it('the revision tells whether anything changed', () => {
    const series = new ObjectSeries();
    series.put(objectAt('1.1', 1n));
    const { revision } = series;
    series.remove('1.2', 5n);
    series.drop('1.2');
    assert.equal(series.revision, revision);
    series.remove('1.1', 5n);
    assert.notEqual(series.revision, revision);
  });
});

function kept({ ts, removedNs }: { ts: bigint; removedNs: bigint | null }) {
  return removedNs === null ? { ts } : { ts, removedNs };
}

describe('the order of ids', () => {
  it('is that of their numbers, part by part', () => {
    const ordered = ['20260105.9', '20260105.10', '20260105.10.1', '20260105.10.2', '20260106.1'];
    assert.deepEqual([...ordered].reverse().sort(compareObjectIds), ordered);
  });

  it('is an order of any texts: never equal, never contradictory', () => {
    const id = fc.array(fc.constantFrom('1', '01', '2', '10', 'x', '', 'NaN', 'y'), {
      minLength: 1,
      maxLength: 3,
    });
    const property = fc.property(id, id, id, (...parts) => {
      const [a, b, c] = parts.map((it) => it.join('.')) as [string, string, string];
      const sign = (a: string, b: string) => Math.sign(compareObjectIds(a, b));
      assert.equal(sign(a, b), -sign(b, a) + 0);
      assert.equal(sign(a, b) === 0, a === b);
      if (sign(a, b) < 0 && sign(b, c) < 0) assert.equal(sign(a, c), -1);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
