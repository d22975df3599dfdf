import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { LIST_DEFINITION } from '../../../core/testing/list-definition.ts';
import { formFields, readForm } from './parameter-form.ts';

const path = new URL('../../../../contract/catalogue.json', import.meta.url);
const { indicators } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly indicators: readonly IndicatorDefinition[];
};
const named = (id: string) => indicators.find((it) => it.id === id)!;

test('every indicator has a field for each parameter that changes what is computed, and its defaults are read as none', () => {
  for (const definition of indicators) {
    const fields = formFields(definition, {});
    const computing = definition.parameters.filter(({ category }) => category !== 'view');
    assert.deepEqual(
      fields.map(({ name }) => name),
      computing.map(({ name }) => name),
    );
    const typed = Object.fromEntries(fields.map(({ name, placeholder }) => [name, placeholder]));
    for (const form of [{}, typed]) {
      const read = readForm(definition, form);
      assert.ok('given' in read, definition.id);
      assert.deepEqual(read.given, {}, definition.id);
    }
  }
});

test('what is typed is given as the service takes it, and a default of another parameter counts as one', () => {
  const read = readForm(named('bars'), { bar: 'tick', size: ' 1000 ', session: 'full' });
  assert.ok('given' in read);
  assert.deepEqual(read.given, { bar: 'tick' });
  assert.equal(read.params.size, 1_000);
  const field = formFields(named('bars'), { bar: 'range' }).find(({ name }) => name === 'size')!;
  assert.equal(field.placeholder, '8');
  const profile = readForm(named('volume-profile'), { period: '1800' });
  assert.deepEqual('given' in profile && profile.given, { period: 1_800 });
  assert.deepEqual(readForm(named('tape-speed'), { pace: '2.25' }), {
    given: { pace: 2.25 },
    params: { depth: 500, pace: 2.25, session: 'full', windowSeconds: 15 },
  });
});

test('a list is typed as numbers with commas or spaces between them', () => {
  const [, field, ...more] = formFields(LIST_DEFINITION, {});
  assert.deepEqual(more, []);
  assert.deepEqual(field, {
    name: 'shares',
    kind: 'text',
    options: [],
    placeholder: '50, 70',
    hint: '1 to 4 different whole numbers, each 1 to 100 percent',
  });
  for (const shares of ['90, 50', '50 90', ' 90,50, ']) {
    const read = readForm(LIST_DEFINITION, { shares });
    assert.deepEqual('given' in read && read.given, { shares: [50, 90] });
  }
  for (const shares of ['', '50, 70', '70 50']) {
    const read = readForm(LIST_DEFINITION, { shares });
    assert.deepEqual('given' in read && read.given, {});
  }
  const wrong = readForm(LIST_DEFINITION, { shares: '50, x, 0' });
  const faults = { shares: 'Must be a whole number from 1 to 100 (percent).' };
  assert.deepEqual('faults' in wrong && wrong.faults, faults);
});

test('what the service would refuse is told at its field, before anything is sent', () => {
  const read = readForm(named('bars'), { size: '0', bar: 'hour' });
  assert.deepEqual('faults' in read && read.faults, {
    bar: 'Must be one of "time", "tick", "volume", "range", "delta", "renko".',
    size: 'Must be a whole number from 1 to 1000000000 (seconds, trades, lots or ticks).',
  });
  for (const size of ['1e3', '1,000', '0x10', 'NaN', '-', '1.5']) {
    assert.ok('faults' in readForm(named('bars'), { size }), size);
  }
});
