import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from '@tapeloom/core/instant-text';
import { UsageError } from '../command.ts';
import { readTarget } from './export-target.ts';

const query = {
  instrument: 'ES.c.0',
  indicator: 'bars',
  from: parseInstant('2026-11-12')!,
  to: parseInstant('2026-11-13T14:30:00Z')!,
};

test('a file without a name is called after its query and format, the same every time', () => {
  const nameOf = (values: Parameters<typeof readTarget>[0], of = query) =>
    readTarget(values, of).path;
  const name = 'ES.c.0-bars-2026-11-12-20261113T143000Z';
  assert.equal(nameOf({}), `${name}.ndjson.zst`);
  assert.equal(nameOf({ expand: true }), `${name}.ndjson`);
  assert.equal(nameOf({ format: 'csv' }), `${name}.csv`);
  assert.equal(nameOf({ format: 'table' }), `${name}.txt`);
  assert.equal(nameOf({ format: 'parquet' }), `${name}.parquet`);
  assert.equal(nameOf({ format: 'arrow' }), `${name}.arrows`);
  assert.equal(
    nameOf({}, { ...query, instrument: '../x' }),
    `.._x-bars-e3232b50-2026-11-12-20261113T143000Z.ndjson.zst`,
  );
  const { to: _, ...open } = query;
  assert.equal(readTarget({}, open).path, 'ES.c.0-bars-2026-11-12-now.ndjson.zst');
});

test('queries with other results have other names, the same ones the same', () => {
  const { to: _, ...open } = query;
  const nameOf = (more: Partial<Parameters<typeof readTarget>[1]>) =>
    readTarget({}, { ...open, ...more }).path.replace('-2026-11-12-now.ndjson.zst', '');
  assert.equal(nameOf({ params: { size: 300 } }), 'ES.c.0-bars,size=300');
  const both = 'ES.c.0-bars,bar=tick,size=300';
  assert.equal(nameOf({ params: { size: 300, bar: 'tick' } }), both);
  assert.equal(nameOf({ params: { bar: 'tick', size: 300 } }), both);
  assert.equal(nameOf({ mode: 'confirmed' }), 'ES.c.0-bars-confirmed');
  assert.equal(nameOf({ mode: 'live', gaps: 'refuse' }), 'ES.c.0-bars');
  assert.equal(nameOf({ gaps: 'allow', dataset: 'mine' }), 'ES.c.0-bars-gaps-mine');
  const studies = [{ indicator: 'bars', params: { size: 5 } }, { indicator: 'footprint' }];
  assert.equal(nameOf({ indicator: 'bars,footprint', studies }), 'ES.c.0-bars,size=5-footprint');
  const [slash, colon] = ['a/b', 'a:b'].map((anchor) => nameOf({ params: { anchor } }));
  assert.match(slash!, /^ES\.c\.0-bars,anchor=a_b-[0-9a-f]{8}$/);
  assert.notEqual(slash, colon);
  const long = nameOf({ params: { anchor: 'x'.repeat(500) } });
  assert.ok(long.length < 140, long);
  assert.notEqual(long, nameOf({ params: { anchor: 'x'.repeat(501) } }));
});

test('what the service does not write is made of its lines, which are fetched beside it', () => {
  assert.deepEqual(readTarget({ out: 'x.csv', format: 'csv' }, query), {
    path: 'x.csv',
    fetched: { format: 'ndjson', path: 'x.csv.ndjson.zst' },
    rewrittenAs: 'csv',
    isForced: false,
  });
  assert.deepEqual(readTarget({ out: 'x', format: 'arrow' }, query), {
    path: 'x',
    fetched: { format: 'arrow', path: 'x' },
    rewrittenAs: null,
    isForced: false,
  });
});

test('what cannot be is refused', () => {
  const there = import.meta.filename;
  assert.throws(() => readTarget({ format: 'csv', expand: true }, query), UsageError);
  assert.throws(
    () => readTarget({ format: 'xml' }, query),
    /ndjson, csv, table, parquet, arrow; got xml/,
  );
  assert.throws(() => readTarget({ out: '-' }, query), /tapeloom history writes to stdout/);
  assert.throws(() => readTarget({ out: there }, query), /already exists; --force replaces it/);
  assert.equal(readTarget({ out: there, force: true }, query).path, there);
});
