import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChartSpec, DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import { withIndicator } from './item-changes.ts';
import { isFreePreview } from './preview.ts';

const withLayer = (indicator: string, params = {}) =>
  withIndicator(DEFAULT_CHART, indicator, params, indicator);
const isFree = (next: ChartSpec) => isFreePreview(DEFAULT_CHART, next);

test('what the page sums from the footprint is shown at once', () => {
  assert.ok(isFree(withLayer('volume-profile', { group: 4 })));
  assert.ok(isFree(withLayer('delta')));
  assert.ok(isFree({ ...DEFAULT_CHART, rules: { ...DEFAULT_CHART.rules, ratio: 4 }, group: 4 }));
});

test('what would need another stream waits until it is added', () => {
  assert.ok(!isFree(withLayer('sweeps')));
  assert.ok(!isFree({ ...DEFAULT_CHART, bar: { ...DEFAULT_CHART.bar, size: 60 } }));
  assert.ok(!isFree({ ...DEFAULT_CHART, instrument: 'NQ.c.0' }));
});
