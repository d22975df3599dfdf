import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { listedGroups } from './indicator-search.ts';

const path = new URL('../../../../../contract/catalogue.json', import.meta.url);
const { indicators } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly indicators: readonly IndicatorDefinition[];
};
const found = (typed: string) =>
  listedGroups(indicators, typed).flatMap((group) => group.indicators.map(({ id }) => id));

test('all indicators are listed in groups, and one that nobody knows comes last', () => {
  assert.equal(found('').length, indicators.length);
  const unknown = { ...indicators[0]!, id: 'book-pressure', name: 'Book pressure', presets: [] };
  const last = listedGroups([unknown, ...indicators], '').at(-1)!;
  assert.deepEqual(
    [last.name, last.indicators.map(({ id }) => id)],
    ['New in the service', ['book-pressure']],
  );
});

test('names, purposes and presets are searched', () => {
  assert.deepEqual(found('poc'), ['naked-levels']);
  assert.deepEqual(found('stacked'), ['imbalances']);
  assert.deepEqual(found('30 seconds'), []);
  assert.ok(found('400 %').includes('footprint'));
  assert.deepEqual(found('VWAP'), ['vwap']);
});
