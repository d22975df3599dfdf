import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import { type ChartLook, lookOf, specOf } from './chart-options.ts';

test('an instrument alone is enough', () => {
  assert.deepEqual(specOf({ instrument: 'NQ.c.0' }), { ...DEFAULT_CHART, instrument: 'NQ.c.0' });
});

test('a part of bars and rules leaves the rest as it is', () => {
  const spec = specOf({ bar: { kind: 'tick', size: 500 }, rules: { ratio: 4 } });
  assert.deepEqual(spec.bar, { kind: 'tick', size: 500, session: 'full' });
  assert.deepEqual(spec.rules, { ...DEFAULT_CHART.rules, ratio: 4 });
});

test('layers are named by their indicator, so that one that stays is not loaded again', () => {
  const layers = ['vwap', { indicator: 'large-trades', params: { minSize: 50 } }, 'large-trades'];
  const keys = specOf({ layers }).layers.map(({ key }) => key);
  assert.deepEqual(keys, ['vwap', 'large-trades', 'large-trades 2']);
  assert.deepEqual(specOf({ layers }).layers, specOf({ layers }).layers);
});

test('a change keeps what it does not name', () => {
  const spec = specOf({ instrument: 'NQ.c.0', look: 'two', layers: [] });
  const changed = specOf({ group: 4 }, spec);
  assert.deepEqual(changed, { ...spec, group: 4 });
});

test('a layout, kept as JSON, makes the same chart again', () => {
  const spec = specOf({
    instrument: 'GC.c.0',
    ...{ look: 'delta', side: 'tpo', zone: 'utc', stripRows: 2, panes: ['tape-speed'] },
    layers: [{ indicator: 'sweeps', params: { levels: 4 } }],
    drawings: [{ key: 'd1', kind: 'line', text: 'High', ticks: 20_000 }],
  });
  const kept = JSON.parse(JSON.stringify(lookOf(spec))) as ChartLook;
  assert.deepEqual(specOf(kept), spec);
});

test('a word that no option has is named with those that it has', () => {
  const wrong = (look: unknown) => () => specOf(look as ChartLook);
  assert.throws(wrong({ look: 'deltas' }), /The option "look" must be one of "bidask", "delta", /);
  assert.throws(
    wrong({ bar: { kind: 'seconds' } }),
    /The option "bar\.kind" must be one of "time"/,
  );
  assert.throws(wrong({ panes: ['cvd'] }), /The option "panes" must be one of "delta"/);
});
