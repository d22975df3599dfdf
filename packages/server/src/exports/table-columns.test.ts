import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { TABLE_INDICATORS, tableColumns } from './table-columns.ts';

test('every indicator has columns, and every one without lists is CSV too', () => {
  const withLists = ['footprint', 'volume-profile', 'tpo'];
  const ids = INDICATORS.map(({ id }) => id);
  assert.deepEqual(TABLE_INDICATORS.parquet, ids);
  assert.deepEqual(TABLE_INDICATORS.arrow, ids);
  assert.deepEqual(
    TABLE_INDICATORS.csv,
    ids.filter((id) => !withLists.includes(id)),
  );
});

test('a list has the names that the definition gives the places of its items', () => {
  const typeOf = (id: string, field: string) =>
    tableColumns(indicatorNamed(id)!)!.find(({ name }) => name === field)!.type;
  const place = (name: string, whenMissing: number | null = null) => {
    return { name, type: 'whole', whenMissing };
  };
  const levels = { rowsOf: [place('price'), place('bid'), place('ask'), place('unknown', 0)] };
  assert.deepEqual(typeOf('footprint', 'levels'), levels);
  assert.deepEqual(typeOf('volume-profile', 'levels'), levels);
  assert.deepEqual(typeOf('footprint', 'imbalances'), { rowsOf: [place('price'), place('side')] });
  const letters = { name: 'letters', type: 'text', whenMissing: null };
  assert.deepEqual(typeOf('tpo', 'rows'), { rowsOf: [place('price'), letters] });
  assert.deepEqual(typeOf('tpo', 'singles'), { listOf: 'whole' });
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

test('lists of nameless parts, objects, several types, open objects and taken names have no columns', () => {
  const columnsOf = (properties: object, additionalProperties: unknown = false) =>
    tableColumns({ data: { type: 'object', properties, additionalProperties } });
  assert.equal(columnsOf({})?.length, 5);
  assert.equal(columnsOf({ a: { type: ['integer', 'null'] } })?.at(-1)?.type, 'whole');
  for (const schema of [
    { type: 'array' },
    { type: 'array', items: { type: 'object' } },
    { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
    { type: 'array', items: { type: 'array', prefixItems: [{ type: 'integer' }], items: false } },
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
