import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { isCustom, parseParams } from '@tapeloom/core/studies/params';
import { BAR_KINDS, type ChartSpec, DEFAULT_CHART } from '../spec/chart-spec.ts';
import { barsTopic, chartTopics, hasLevels, lastingOf, layerTopic, topicName } from './topics.ts';

const path = new URL('../../../../contract/catalogue.json', import.meta.url);
const { indicators } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly indicators: readonly IndicatorDefinition[];
};
const named = (id: string) => indicators.find((it) => it.id === id)!;
const layer = (indicator: string, params = {}) => ({
  key: 'k',
  indicator,
  params,
  isHidden: false,
});

test('every indicator of the catalogue is known: how long its objects last, and which parameters of bars it takes', () => {
  for (const definition of indicators) {
    const { id, parameters } = definition;
    const lasting = lastingOf(id);
    assert.ok(lasting !== null, id);
    const names = parameters.map(({ name }) => name);
    assert.equal(lasting === 'carried', names.includes('lookback'), id);
    for (const kind of BAR_KINDS) {
      const spec: ChartSpec = { ...DEFAULT_CHART, bar: { kind, size: 77, session: 'rth' } };
      const { params } = layerTopic(spec, layer(id));
      const parsed = parseParams(definition, params);
      assert.ok('params' in parsed, `${id}: ${JSON.stringify(parsed)}`);
      assert.equal(parsed.params.session, 'rth');
      assert.equal(parsed.params.size, names.includes('size') ? 77 : undefined);
      assert.equal(parsed.params.depth, names.includes('depth') ? 5_000 : undefined);
    }
  }
});

test('a topic at its defaults has no parameters, so it is no custom configuration', () => {
  const spec: ChartSpec = { ...DEFAULT_CHART, bar: { kind: 'time', size: 60, session: 'full' } };
  for (const definition of indicators) {
    const { params } = layerTopic(spec, layer(definition.id, { depth: 500 }));
    assert.deepEqual(params, {}, definition.id);
  }
  for (const kind of BAR_KINDS) {
    const definition = named('footprint');
    const size = Number(
      definition.parameters.find(({ name }) => name === 'size')!.defaultBy!.values[kind],
    );
    const { params } = barsTopic({ ...spec, bar: { kind, size, session: 'full' } });
    const parsed = parseParams(definition, params);
    assert.ok('params' in parsed);
    assert.equal(isCustom(definition, parsed.params), kind !== 'time');
    assert.equal(params.size, undefined);
  }
});

test('a layer of other bars than the chart keeps them', () => {
  const { params } = layerTopic(DEFAULT_CHART, layer('imbalances', { bar: 'tick', ratio: 4 }));
  assert.deepEqual(params, { bar: 'tick', ratio: 4 });
  const own = layerTopic(DEFAULT_CHART, layer('vwap', { size: 60 }));
  assert.deepEqual(own.params, {});
});

test('candles come from bars, and then the profile and the VWAP must be subscribed', () => {
  const candles: ChartSpec = { ...DEFAULT_CHART, look: 'candles' };
  assert.equal(hasLevels(candles), false);
  assert.deepEqual(
    chartTopics(candles, true).map(({ indicator }) => indicator),
    ['bars', 'vwap', 'volume-profile'],
  );
  const withPanes: ChartSpec = { ...DEFAULT_CHART, panes: ['tape-speed'], side: 'tpo' };
  assert.deepEqual(
    chartTopics(withPanes, true).map(({ key, indicator }) => [key, indicator]),
    [
      ['bars', 'footprint'],
      ['tape-speed', 'tape-speed'],
      ['tpo', 'tpo'],
    ],
  );
});

test('an indicator that this page does not know is asked for as it was given', () => {
  const topic = layerTopic(DEFAULT_CHART, layer('from-tomorrow', { depth: 7 }));
  assert.deepEqual(topic.params, { depth: 7 });
  assert.equal(topicName(topic), 'from tomorrow');
});
