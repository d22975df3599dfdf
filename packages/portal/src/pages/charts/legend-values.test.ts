import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartBar } from '@tapeloom/charts/series/chart-bar';
import { ObjectSeries } from '@tapeloom/charts/series/object-series';
import { legendValue } from './legend-values.ts';

const tickSizeNanos = 250_000_000;
const bar: ChartBar = {
  kind: 'bar',
  id: '20261117.5',
  isFinal: true,
  fromNs: 1_000n,
  endNs: 2_000n,
  ...{ open: 100, high: 110, low: 90, close: 104, volume: 50, bid: 20, ask: 30, unknown: 0 },
  ...{ trades: 12, delta: 10, deltaMin: -5, deltaMax: 12, levels: null },
};

function series(...objects: readonly (readonly [id: string, ts: bigint, data: object])[]) {
  const all = new ObjectSeries();
  for (const [id, ts, data] of objects) all.put({ id, ts, final: true, data } as never);
  return all;
}

const say = (indicator: string, objects: ObjectSeries) => {
  const { value, note } = legendValue(indicator, { objects, bar, tickSizeNanos });
  return [value, note];
};

test('averages say the object of the bar, else the newest before its end', () => {
  const vwap = { vwap: 22_183.04, deviation: 64.2 };
  const at = series(['20261117.1', 10n, { ...vwap, vwap: 1 }], [bar.id, 1_000n, vwap]);
  assert.deepEqual(say('vwap', at), ['5545.76', 'σ 16.05']);
  assert.deepEqual(say('vwap', series(['20261117.1', 1_900n, vwap])), ['5545.76', 'σ 16.05']);
  assert.deepEqual(say('vwap', series(['20261117.9', 2_001n, vwap])), ['', '']);
  assert.deepEqual(say('delta', series([bar.id, 1_000n, { close: -1_203 }])), ['−1,203', '']);
  assert.deepEqual(say('volume-profile', series(['a', 1n, { poc: 22_127 }])), ['POC 5531.75', '']);
});

test('events count only while the bar formed', () => {
  const large = series(
    ['1.1', 999n, { size: 900 }],
    ['1.2', 1_000n, { size: 377 }],
    ['1.3', 2_000n, { size: 1_204 }],
    ['1.4', 2_001n, { size: 5_000 }],
  );
  assert.deepEqual(say('large-trades', large), ['2, largest 1,204', '']);
  assert.deepEqual(say('sweeps', series()), ['none', '']);
  assert.deepEqual(say('absorption', series(['1.2', 1_000n, { volume: 80 }])), [
    '1, largest 80',
    '',
  ]);
});

test('zones and levels are open from their time until they were removed', () => {
  const zones = series(['1.1', 10n, {}], ['1.2', 20n, {}], ['1.3', 3_000n, {}]);
  zones.remove('1.2', 1_500n);
  assert.deepEqual(say('imbalances', zones), ['1 open', '']);
  const levels = series(
    ['1.1', 10n, { kind: 'initialBalanceHigh', price: 120 }],
    ['1.2', 10n, { kind: 'previousLow', price: 103 }],
  );
  assert.deepEqual(say('session-levels', levels), ['Previous low', '−1 tick']);
  assert.deepEqual(say('naked-levels', levels), ['2', 'nearest −1 tick']);
  assert.deepEqual(say('naked-levels', series()), ['none', '']);
});

test('an indicator that this page does not know says how many objects it has', () => {
  assert.deepEqual(say('book-pressure', series(['1.1', 10n, {}])), ['1 object', '']);
});

test('the tape speed of a bar is the highest of its seconds', () => {
  const seconds = series(
    ['1.1', 1_000n, { rate: 20, average: 12.34 }],
    ['1.2', 1_500n, { rate: 142.4, average: 12.5 }],
  );
  assert.deepEqual(say('tape-speed', seconds), ['142/s', 'average 12.5']);
});
