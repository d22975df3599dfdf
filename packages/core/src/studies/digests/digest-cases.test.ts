import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIST_DEFINITION } from '../../../testing/list-definition.ts';
import type { Indicator } from '../indicator.ts';
import { parseParams } from '../params.ts';
import { digestCases } from './digest-cases.ts';

test('a list is varied by its shortest and its longest value, and every case is accepted', () => {
  const cases = digestCases(LIST_DEFINITION as Indicator);
  for (const { params } of cases) assert.ok('params' in parseParams(LIST_DEFINITION, params));
  const [first] = cases;
  const texts = cases
    .filter(({ tape }) => tape === first!.tape)
    .map(({ params }) => JSON.stringify(params));
  assert.deepEqual(texts, [
    '{}',
    '{"of":"session"}',
    '{"shares":[1]}',
    '{"shares":[1,2,3,4]}',
    '{"shares":[50,70,90]}',
  ]);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
});
