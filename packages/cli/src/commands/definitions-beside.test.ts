/**
 * DBN whose symbols are not the venue's names, with definitions given beside it: `import`, `study`, `serve` and `tape
 * compare` must assign its trades alike. The file rolls from ESH6 to ESM6 at midnight, and one of its ids belonged to
 * another contract years ago.
 */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { DBN_SCHEMAS, DbnWriter } from '../../../server/testing/feeds/dbn-writer.ts';
import { halfHours, MONDAY, TUESDAY, WEDNESDAY } from '../../../server/testing/imports.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-definitions-'));
after(() => rmSync(scratch, { recursive: true }));
const [MARCH, JUNE] = [101, 102];
const ns = (day: UtcDay, hour = 0) => epochNs(day, hour * 3_600_000_000_000);

/** Kinds of names: 0 ids, 1 raw symbols, 3 continuous ones. */
function trades(nameKindIn: 0 | 1 | 3): Uint8Array {
  const days = [
    { id: MARCH, symbol: 'ESH6', day: MONDAY, end: TUESDAY },
    { id: JUNE, symbol: 'ESM6', day: TUESDAY, end: WEDNESDAY },
  ];
  const intervals = days.map(({ id, day, end }) => ({
    fromDay: day,
    toDay: end,
    output: String(id),
  }));
  const own = (named: (of: (typeof days)[number]) => string) =>
    days.map((of, index) => ({ name: named(of), intervals: [intervals[index]!] }));
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.trades,
    start: ns(MONDAY),
    end: ns(WEDNESDAY),
    nameKindIn,
    mappings:
      nameKindIn === 3
        ? [{ name: 'ES.c.0', intervals }]
        : own(({ id, symbol }) => (nameKindIn === 1 ? symbol : String(id))),
  });
  for (const { id, day } of days) {
    for (const { ts, price, size } of halfHours(day, 0, 20)) {
      const money = BigInt(price) * 250_000_000n;
      writer.trade({ instrumentId: id, event: ts, price: money, size, side: 'B' });
    }
  }
  return writer.bytes;
}

function definitions(...ids: readonly number[]): Uint8Array {
  const writer = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition });
  const future = { instrumentClass: 'F', received: ns(MONDAY) };
  const all = [
    {
      instrumentId: JUNE,
      rawSymbol: 'NQU6',
      ...future,
      received: 1n as EpochNs,
      expiration: 2n as EpochNs,
    },
    { instrumentId: MARCH, rawSymbol: 'ESH6', ...future },
    { instrumentId: JUNE, rawSymbol: 'ESM6', ...future },
  ];
  for (const one of all) if (ids.includes(one.instrumentId)) writer.definition(one);
  return writer.bytes;
}

const file = (name: string, content: Uint8Array | string) => {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
};
const plain = file('plain.dbn', trades(1));
const continuous = file('continuous.dbn.zst', zstdCompressSync(trades(3)));
const byId = file('ids.dbn', trades(0));
file('a.definition.dbn.zst', zstdCompressSync(definitions(MARCH)));
file('b.definition.dbn', definitions(JUNE));
const both = ['--definitions', join(scratch, '*.definition.dbn*')];

function dataDirectory(name: string): string {
  const data = join(scratch, name);
  mkdirSync(data);
  const products = { ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-06' } } };
  writeFileSync(
    join(data, 'instruments.yaml'),
    JSON.stringify({ datasets: { GLBX: { products } } }),
  );
  return data;
}

const run = (...words: readonly string[]) => runRecorded(commands, words);

test('an import brings them to the contracts they are of, each day covered as the file says', async () => {
  const expected = (await run('import', plain, '--data', dataDirectory('plain'))).out;
  assert.match(expected, /ESH6 +1 +40 .* 1 added +complete\nESM6 +1 +40 .* 1 added +complete\n/);
  for (const [name, path] of Object.entries({ continuous, byId })) {
    const data = dataDirectory(name);
    const { code, out, err } = await run('import', path, ...both, '--data', data);
    assert.equal(code, 0, err);
    assert.equal(out, expected);
    const compared = await run('tape', 'compare', path, ...both, '--data', data);
    assert.equal(compared.code, 0, compared.err);
    assert.match(compared.out, /ESH6 .* same +40 +0 +0 .*\nESM6 .* same +40 +0 +0 /);
  }
  const without = await run('import', continuous, '--data', dataDirectory('without'));
  assert.match(without.err, /trades of 101.*\(40\)/);
});

test('a study and a replay know them by their symbols', async () => {
  const expected = await run('study', 'bars', '--file', plain, '--symbol', 'ESM6');
  assert.equal(expected.code, 0, expected.err);
  for (const path of [continuous, byId]) {
    const made = await run('study', 'bars', '--file', path, '--symbol', 'ESM6', ...both);
    assert.equal(made.out, expected.out);
  }
  const { err } = await run('serve', '--file', continuous, '--symbol', 'ESZ6', ...both);
  assert.match(err, /has no trades of ESZ6\. .*ESH6.*ESM6/s);
});

test('what has only some of the definitions, is no definition, or needs none is told', async () => {
  const some = ['--definitions', join(scratch, 'a.definition.dbn.zst')];
  const { err, out } = await run('import', continuous, ...some, '--data', dataDirectory('some'));
  assert.match(err, /trades of 102.*\(40\)/);
  assert.match(out, /ESH6 +1 +40 /);
  const wrong = await run('study', 'bars', '--file', continuous, '--definitions', plain);
  assert.match(wrong.err, /--definitions .*its schema is trades/);
  const text = file('t.csv', 'timestamp,price,size\n1773153000000000000,1,2\n');
  const needless = await run('study', 'bars', '--file', text, ...both);
  assert.match(needless.err, /Definitions name the instruments of DBN/);
});

test('a capture names its instruments by the definitions in it', async () => {
  const writer = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
  writer.definition({ instrumentId: JUNE, rawSymbol: 'ESM6', instrumentClass: 'F' });
  writer.trade({ instrumentId: JUNE, event: ns(TUESDAY, 15), price: 1n, size: 1, side: 'A' });
  const capture = file('capture.dbn', writer.bytes);
  const { err } = await run('study', 'bars', '--file', capture, '--tick', '0.000000001');
  assert.match(err, /\nESM6: 1 trade/);
});
