import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { dataFields } from './data-fields.ts';
import type { Entry } from './entry.ts';
import { ENTRY_FORMATS, type EntryFormat } from './entry-format.ts';
import { entryText } from './entry-text.ts';

const QUARTER = 250_000_000;

function textOf(format: EntryFormat, id: string, entries: readonly Entry[]): string {
  const indicator = INDICATORS.find((one) => one.id === id)!;
  const text = entryText(format, dataFields(indicator), QUARTER);
  return entries.reduce((all, entry) => all + text.add(entry), '') + text.end();
}

/** Splits a line by RFC 4180. */
function cellsOf(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? plain! : quoted.replaceAll('""', '"'),
  );
}

test('CSV holds all of every indicator: its cells give the object again', () => {
  for (const { id, example, data } of INDICATORS) {
    const object = { t: 'upsert', cursor: '20261112.54.2', ...example } as const;
    const [header, row, end] = textOf('csv', id, [object]).split('\n');
    assert.equal(end, '');
    const names = cellsOf(header!);
    assert.deepEqual(names.slice(0, 5), ['t', 'cursor', 'id', 'final', 'ts']);
    const cells = cellsOf(row!);
    assert.equal(cells.length, names.length, id);
    assert.deepEqual(cells.slice(0, 5), [
      'upsert',
      object.cursor,
      object.id,
      `${object.final}`,
      object.ts,
    ]);
    const schema = data.properties as Readonly<Record<string, { readonly type: unknown }>>;
    const read = names.slice(5).map((name, at) => {
      const cell = cells[at + 5]!;
      const types = [schema[name]!.type].flat();
      if (cell === '') return [name, types.includes('null') ? null : undefined];
      return [name, types.includes('string') ? cell : (JSON.parse(cell) as unknown)];
    });
    assert.deepEqual(Object.fromEntries(read), example.data, id);
  }
});

test('the columns of CSV are the same for every entry: a removed object has empty ones', () => {
  const remove = { t: 'remove', cursor: '1.2.3', id: 'a', final: true, ts: '0' } as const;
  const [header, row] = textOf('csv', 'naked-levels', [remove]).split('\n');
  assert.equal(header, 't,cursor,id,final,ts,kind,price,sessionDate');
  assert.equal(row, 'remove,1.2.3,a,true,0,,,');
});

test('a snapshot is a row for each of its objects, and one line of JSON', () => {
  const item = (id: string, final: boolean) => ({
    id,
    final,
    ts: '0',
    data: { kind: id, price: 8 },
  });
  const snapshot = {
    t: 'snapshot',
    cursor: '1.2.3',
    items: [item('open', true), item('high', false)],
  } as const;
  const empty = { t: 'snapshot', cursor: '1.2.3', items: [] } as const;
  assert.equal(
    textOf('csv', 'session-levels', [snapshot]),
    't,cursor,id,final,ts,kind,price\nsnapshot,1.2.3,open,true,0,open,8\nsnapshot,1.2.3,high,false,0,high,8\n',
  );
  assert.equal(
    textOf('table', 'session-levels', [empty, snapshot]),
    '                time (UTC)  kind  price\n' +
      '   1970-01-01 00:00:00.000  open   2.00\n' +
      '▸  1970-01-01 00:00:00.000  high   2.00\n',
  );
  assert.equal(textOf('ndjson', 'session-levels', [snapshot]), `${JSON.stringify(snapshot)}\n`);
});

test('without an entry there are the titles, or nothing', () => {
  const texts = ENTRY_FORMATS.map((format) => textOf(format, 'session-levels', []));
  assert.deepEqual(texts, ['', 't,cursor,id,final,ts,kind,price\n', '  time (UTC)  kind  price\n']);
});
