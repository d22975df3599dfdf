import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { FLAT_INDICATORS, tableColumns } from './table-columns.ts';

test('every indicator has columns, but for those whose data has lists', () => {
  const withLists = ['footprint', 'volume-profile', 'tpo'];
  const ids = INDICATORS.map(({ id }) => id);
  assert.deepEqual(
    FLAT_INDICATORS,
    ids.filter((id) => !withLists.includes(id)),
  );
});

test('columns are those of an update, then the fields of its data', () => {
  const columns = tableColumns(indicatorNamed('tape-speed')!)!;
  assert.deepEqual(
    columns.map(({ name, type, isData }) => `${name} ${type}${isData ? ' or null' : ''}`),
    [
      't text',
      'cursor text',
      'id text',
      'final flag',
      'ts time',
      'trades whole or null',
      'volume whole or null',
      'rate number or null',
      'average number or null',
      'burst flag or null',
    ],
  );
});

test('a text of digits is a time, everywhere in the catalogue', () => {
  for (const indicator of INDICATORS) {
    const times = (tableColumns(indicator) ?? []).filter(({ type }) => type === 'time');
    for (const { name } of times) assert.ok(name === 'ts' || name === 'end', indicator.id);
  }
});

test('lists, objects, several types, open objects and names that are taken have no columns', () => {
  const columnsOf = (properties: object, additionalProperties: unknown = false) =>
    tableColumns({ data: { type: 'object', properties, additionalProperties } });
  assert.equal(columnsOf({})?.length, 5);
  assert.equal(columnsOf({ a: { type: ['integer', 'null'] } })?.at(-1)?.type, 'whole');
  for (const schema of [
    { type: 'array', items: { type: 'integer' } },
    { type: 'object' },
    { type: ['integer', 'string'] },
    { oneOf: [{ type: 'integer' }] },
    {},
  ]) {
    assert.equal(columnsOf({ a: { type: 'integer' }, b: schema }), null);
  }
  assert.equal(columnsOf({ ts: { type: 'integer' } }), null);
  assert.equal(columnsOf({}, true), null);
  assert.equal(tableColumns({ data: { type: 'object', additionalProperties: false } }), null);
});
