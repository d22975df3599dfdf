import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptObject } from '@tapeloom/charts/series/object-series';
import { objectTable } from './object-table.ts';

const definition = {
  data: {
    type: 'object',
    properties: { side: { type: 'integer', description: 'Aggressor' }, rows: { type: 'array' } },
  },
};
const object = (id: string, data: unknown): KeptObject =>
  ({ id, ts: 5n, final: true, data, removedNs: null }) as never;

test('the schema names the columns, and every value is text', () => {
  const objects = [
    object('1.1', { side: 1, rows: [[1, 'A']], other: 'no column' }),
    object('1.2', { side: '<b onclick=x>', rows: 'x'.repeat(500) }),
  ];
  const { columns, rows, left } = objectTable(definition, objects);
  assert.deepEqual(columns, [
    { name: 'side', title: 'Aggressor' },
    { name: 'rows', title: '' },
  ]);
  assert.deepEqual(rows[1]!.cells, ['1', '[[1,"A"]]']);
  assert.deepEqual(rows[0]!.cells, ['<b onclick=x>', `${'x'.repeat(120)}…`]);
  assert.equal(left, 0);
});

test('a schema without properties, or with strange ones, makes no columns and does not throw', () => {
  for (const data of [{}, { properties: null }, { properties: 'x' }]) {
    assert.deepEqual(objectTable({ data }, [object('1.1', {})]).columns, []);
  }
  const many = Array.from({ length: 130 }, (_, at) => object(`1.${at}`, {}));
  assert.equal(objectTable(definition, many).left, 30);
});
