import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { chartItems, withItemHidden, withoutItem } from './chart-items.ts';
import { INDICATOR_FACTS } from './indicator-facts.ts';
import {
  barsItem,
  freeKey,
  isOnChart,
  keptParams,
  shownParams,
  withIndicator,
  withoutPane,
  withPane,
} from './item-changes.ts';
import { INDICATOR_GROUPS } from './parameter-names.ts';

const path = new URL('../../../../../contract/catalogue.json', import.meta.url);
const { indicators } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly indicators: readonly IndicatorDefinition[];
};
const named = (id: string) => indicators.find((it) => it.id === id)!;
const idsOf = (spec: typeof DEFAULT_CHART) => chartItems(spec).map(({ indicator }) => indicator);

test('a first chart has its VWAP, the profile at its side and the cumulative delta in a pane', () => {
  assert.deepEqual(idsOf(DEFAULT_CHART), ['vwap', 'volume-profile', 'delta']);
  assert.equal(barsItem(DEFAULT_CHART).indicator, 'footprint');
});

test('every indicator of the catalogue has a place in the drawer and can be added and removed', () => {
  const grouped = INDICATOR_GROUPS.flatMap(([, ids]) => ids).sort();
  assert.deepEqual(grouped, indicators.map(({ id }) => id).sort());
  assert.deepEqual(Object.keys(INDICATOR_FACTS).sort(), grouped);
  for (const { id } of indicators) {
    const key = freeKey(DEFAULT_CHART, id);
    const added = withIndicator(DEFAULT_CHART, id, {}, key);
    assert.ok(isOnChart(added, id), id);
    if (id === 'bars' || id === 'footprint') continue;
    assert.ok(!isOnChart(withoutItem(added, key), id) || id === 'vwap', id);
  }
});

test('the side and a pane show one of a kind: a second profile takes the place of the first', () => {
  const one = withIndicator(DEFAULT_CHART, 'volume-profile', { group: 4 }, 'p1');
  const two = withIndicator(one, 'volume-profile', { group: 8 }, 'p2');
  const profiles = two.layers.filter(({ indicator }) => indicator === 'volume-profile');
  assert.deepEqual(profiles, [
    { key: 'p2', indicator: 'volume-profile', params: { group: 8 }, isHidden: false },
  ]);
  assert.equal(withIndicator(two, 'tpo', {}, 't').side, 'tpo');
});

test('what is implied by a pane goes with the pane', () => {
  const without = withoutItem(DEFAULT_CHART, 'delta');
  assert.deepEqual(without.panes, ['delta']);
  assert.equal(withoutItem(DEFAULT_CHART, 'volume-profile').side, 'none');
  assert.equal(withoutItem(DEFAULT_CHART, 'unknown'), DEFAULT_CHART);
});

test('the footprint and the candles change the bars of the chart', () => {
  const params = { bar: 'volume', size: 2_000, session: 'rth', group: 4, ratio: 4 };
  const cells = withIndicator(DEFAULT_CHART, 'footprint', params, 'x');
  assert.deepEqual(cells.bar, { kind: 'volume', size: 2_000, session: 'rth' });
  assert.equal(cells.group, 4);
  assert.equal(cells.rules.ratio, 4);
  const candles = withIndicator(cells, 'bars', { bar: 'time', size: 60, session: 'full' }, 'x');
  assert.equal(candles.look, 'candles');
  assert.equal(barsItem(candles).indicator, 'bars');
  assert.equal(withIndicator(candles, 'footprint', {}, 'x').look, 'bidask');
});

test('a layer keeps only what differs from the chart’s bars and from the defaults', () => {
  const definition = named('imbalances');
  const kept = (given: Record<string, unknown>) => {
    const read = parseParams(definition, given);
    assert.ok('params' in read);
    return keptParams(definition, DEFAULT_CHART, { given: given as never, params: read.params });
  };
  assert.deepEqual(kept({ size: 300, stack: 4 }), { stack: 4 });
  assert.deepEqual(kept({ stack: 4 }), { bar: 'time', size: 60, session: 'full', stack: 4 });
  assert.deepEqual(shownParams(definition, DEFAULT_CHART, { stack: 4 }), {
    bar: 'time',
    size: 300,
    session: 'full',
    stack: 4,
  });
  assert.deepEqual(shownParams(named('sweeps'), DEFAULT_CHART, { levels: 5 }), {
    session: 'full',
    levels: 5,
  });
  assert.deepEqual(shownParams(named('session-levels'), DEFAULT_CHART, { session: 'rth' }), {
    session: 'rth',
  });
});

test('a pane that goes takes its layer along', () => {
  const fast = withIndicator(DEFAULT_CHART, 'tape-speed', { pace: 2 }, 'tape-speed');
  assert.deepEqual(fast.panes, ['delta', 'cumulative-delta', 'tape-speed']);
  const without = withoutPane(fast, 'tape-speed');
  assert.deepEqual(without, DEFAULT_CHART);
  assert.deepEqual(
    withPane(withoutPane(DEFAULT_CHART, 'delta'), 'delta').panes,
    DEFAULT_CHART.panes,
  );
});

test('an eye hides a layer, and the layer stays', () => {
  const hidden = withItemHidden(DEFAULT_CHART, 'vwap', true);
  assert.equal(chartItems(hidden).find(({ key }) => key === 'vwap')!.isHidden, true);
  assert.equal(freeKey(hidden, 'vwap'), 'vwap-2');
});
