import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { LIST_DEFINITION } from '../../core/testing/list-definition.ts';
import { samplesSection } from './indicator-samples.ts';
import { parametersTable } from './indicator-tables.ts';

test('a list of integers has its bounds and its default in the table of parameters', () => {
  const lines = parametersTable(LIST_DEFINITION.parameters).split('\n');
  assert.deepEqual(lines.slice(3), [
    '| `shares` | integers | 1 to 4 different whole numbers, each 1 to 100 percent | by `of`: `70` for session | Which shares. |',
    '| `offsets` | integers | up to 3 different whole numbers, each -5 to 5 | `none` | Which offsets a snapshot has. Changes the view only, not what is computed. |',
  ]);
});

test('a sample with a list is written as each language writes it', () => {
  const text = samplesSection(LIST_DEFINITION as Indicator, { of: 'bar', shares: [50, 90] });
  assert.ok(text.includes('"params":{"of":"bar","shares":[50,90]}'));
  assert.ok(text.includes(`'params={"of":"bar","shares":[50,90]}'`));
  assert.ok(text.includes("params: { of: 'bar', shares: [50, 90] },"));
});
