import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import {
  drawerFields,
  editedTyped,
  itemOf,
  layerKeyOf,
  newTyped,
  presetOf,
  presetTyped,
  specWith,
} from './indicator-form.ts';

const path = new URL('../../../../../contract/catalogue.json', import.meta.url);
const { indicators } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly indicators: readonly IndicatorDefinition[];
};
const named = (id: string) => indicators.find((it) => it.id === id)!;

test('every indicator can be added as its form begins, and opens again with the same values', () => {
  for (const definition of indicators) {
    const typed = newTyped(definition, DEFAULT_CHART);
    const next = specWith(definition, DEFAULT_CHART, { typed, editing: null });
    assert.ok(next !== null, definition.id);
    const key = layerKeyOf(DEFAULT_CHART, next, null);
    const item = itemOf(next, key);
    assert.ok(item !== null, definition.id);
    assert.deepEqual(editedTyped(definition, next, item), typed, definition.id);
  }
});

test('every preset of every indicator means something for the chart, and is marked as the chosen one', () => {
  for (const definition of indicators) {
    for (const preset of definition.presets) {
      const typed = presetTyped(definition, preset.params);
      assert.ok(specWith(definition, DEFAULT_CHART, { typed, editing: null }) !== null);
      const chosen = presetOf(definition, typed);
      const same = definition.presets.find(({ id }) => id === chosen)!;
      assert.deepEqual(presetTyped(definition, same.params), typed, preset.name);
    }
  }
});

test('fields stand in the order in which people think of them, and say what was changed', () => {
  const definition = named('imbalances');
  const fields = drawerFields(definition, newTyped(definition, DEFAULT_CHART));
  assert.deepEqual(
    fields.map(({ name }) => name),
    ['bar', 'size', 'group', 'session', 'ratio', 'minVolume', 'zero', 'stack', 'lookback'],
  );
  const of = (name: string) => fields.find((field) => field.name === name)!;
  assert.deepEqual(
    [of('size').value, of('size').unit, of('size').isChanged],
    ['300', 'seconds', true],
  );
  assert.deepEqual([of('stack').value, of('stack').placeholder], ['', '3']);
  assert.deepEqual(of('zero').choices, [
    ['ignore', 'Ignore'],
    ['count', 'Count'],
  ]);
  assert.equal(of('bar').isWide, true);
});

test('a wrong value makes no chart, and a changed one changes the layer in place', () => {
  const definition = named('sweeps');
  const form = { typed: { levels: '0' }, editing: null };
  assert.equal(specWith(definition, DEFAULT_CHART, form), null);
  const added = specWith(definition, DEFAULT_CHART, { typed: { levels: '5' }, editing: null })!;
  const edited = specWith(definition, added, { typed: { levels: '7' }, editing: 'sweeps' })!;
  assert.deepEqual(edited.layers.at(-1), {
    ...{ key: 'sweeps', indicator: 'sweeps', isHidden: false },
    params: { levels: 7 },
  });
});

test('an empty box for the rows of the footprint leaves them to the chart', () => {
  const definition = named('footprint');
  const auto = specWith(definition, DEFAULT_CHART, { typed: { group: '' }, editing: null })!;
  assert.equal(auto.group, 'auto');
  const fixed = specWith(definition, DEFAULT_CHART, { typed: { group: '4' }, editing: null })!;
  assert.equal(fixed.group, 4);
});

test('an implied profile becomes a layer of its own when its form is changed', () => {
  const definition = named('volume-profile');
  const form = { typed: { group: '4' }, editing: 'volume-profile' };
  const next = specWith(definition, DEFAULT_CHART, form)!;
  assert.equal(layerKeyOf(DEFAULT_CHART, next, 'volume-profile'), 'volume-profile');
  assert.deepEqual(next.layers.at(-1)!.params, { group: 4 });
});
