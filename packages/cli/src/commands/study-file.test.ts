import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { arrowFile } from '../../../server/testing/feeds/arrow-samples.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import type { LogEntry } from '../study/settled-study.ts';
import { studyCommand } from './study.ts';

/** 2026-03-10 14:30:00 UTC. */
const BEGIN = 1_773_153_000_000_000_000n;
const TRADES = 20_000;
const HEADER = 'timestamp,symbol,price,size,side';
const rows = Array.from({ length: TRADES }, (_, index) => {
  const ts = BEGIN + BigInt(index) * 300_000_007n;
  const price = (20_000 + ((index * 7) % 23)) / 4;
  return `${ts},ESH6,${price},${1 + ((index * 13) % 50)},${index % 3 === 0 ? 'sell' : 'buy'}`;
});

const scratch = mkdtempSync(join(tmpdir(), 'study-file-'));
const at = (name: string) => join(scratch, name);
let connection: DuckDBConnection;
before(async () => {
  writeFileSync(at('trades.csv'), `${[HEADER, ...rows].join('\n')}\n`);
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE trades AS SELECT * FROM read_csv('${at('trades.csv')}')`);
  await connection.run(`COPY trades TO '${at('trades.parquet')}' (FORMAT parquet)`);
  const columns = (await connection.runAndReadAll('SELECT * FROM trades')).getColumnsObjectJS();
  writeFileSync(at('trades.arrow'), arrowFile(columns));
});
after(() => {
  connection.closeSync();
  rmSync(scratch, { recursive: true });
});

async function study(...words: readonly string[]) {
  const io = new RecordedIo();
  const code = await studyCommand.run(words, io);
  const lines = io.out.split('\n').filter(Boolean);
  return { code, err: io.err, entries: lines.map((line) => JSON.parse(line) as LogEntry) };
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

async function sql(text: string): Promise<unknown[]> {
  const found = (await connection.runAndReadAll(text)).getRowObjectsJS();
  return found.map((row) => JSON.parse(String(row.found)));
}

const dataOf = (entries: readonly LogEntry[]) =>
  entries.map(
    (entry) => (entry as Extract<LogEntry, { t: 'upsert' }>).data as Record<string, unknown>,
  );

for (const name of ['trades.csv', 'trades.parquet', 'trades.arrow']) {
  test(`${name}: minute bars and footprints are those of DuckDB over the same file`, async () => {
    const minute = `(timestamp - ${BEGIN}) // 60000000000`;
    // DuckDB cannot read Arrow without an extension: it reads the CSV that the file was made from.
    const source = name.endsWith('parquet') ? `'${at(name)}'` : `read_csv('${at('trades.csv')}')`;
    const ticks = `SELECT ${minute} AS bar, timestamp, (price * 4)::INTEGER AS price, size,
      side = 'buy' AS isBuy FROM ${source}`;
    const bars =
      await sql(`SELECT json_object('open', arg_min(price, timestamp), 'high', max(price),
      'low', min(price), 'close', arg_max(price, timestamp), 'volume', sum(size)::INTEGER, 'trades', count(*))
      AS found FROM (${ticks}) GROUP BY bar ORDER BY bar`);
    const made = dataOf((await study('bars', '--file', at(name), '--tail')).entries);
    assert.deepEqual(
      made.map(({ open, high, low, close, volume, trades }) => {
        return { open, high, low, close, volume, trades };
      }),
      bars,
    );
    const levels =
      await sql(`WITH levels AS (SELECT bar, price, sum(CASE WHEN isBuy THEN 0 ELSE size END)::INTEGER AS bid,
      sum(CASE WHEN isBuy THEN size ELSE 0 END)::INTEGER AS ask FROM (${ticks}) GROUP BY bar, price)
      SELECT to_json(list([price, bid, ask] ORDER BY price)) AS found FROM levels GROUP BY bar ORDER BY bar`);
    const footprints = dataOf((await study('footprint', '--file', at(name), '--tail')).entries);
    assert.ok(levels.length > 90);
    assert.deepEqual(
      footprints.map((data) => data.levels),
      levels,
    );
  });
}

test('the instrument is guessed and told, and so is which session is not whole', async () => {
  const { err, code } = await study('bars', '--file', at('trades.csv'));
  assert.equal(code, 0);
  assert.match(err, /^trades\.csv: CSV\nESH6: 20,000 trades from 2026-03-10T14:30:00\.000Z to /);
  assert.match(err, /\nTick 0\.25, known of ES\. Lot 1\.\nSessions are those of cme-equity/);
  assert.match(
    err,
    /session of 2026-03-10 is not whole: the file begins 16 h 30 min after its open/,
  );
  assert.match(
    err,
    /session of 2026-03-10 is not whole: the file ends \d h \d+ min before its close/,
  );
});

test('rows in any order, packed, with fractions and without a line end say the same', async () => {
  const text = (symbol: string) =>
    [HEADER, ...rows.toReversed()].join('\n').replaceAll('ESH6', symbol);
  const packed = file('packed.csv.gz', gzipSync(text('ESH6')));
  const turned = await study('bars', '--file', packed);
  assert.deepEqual(turned.entries, (await study('bars', '--file', at('trades.csv'))).entries);
  assert.match(turned.err, /Trades were sorted by time/);
  assert.match(turned.err, /Noted: last row without a line end/);
  const coin = file(
    'coin.csv',
    `${HEADER}\n${BEGIN},XYZ,100.5,0.25,buy\n${BEGIN},XYZ,100.2,0,buy\n${BEGIN},XYZ,101.1,3,sell\n`,
  );
  const { err, entries } = await study('bars', '--file', coin, '--tail');
  assert.match(err, /Tick 0\.3, guessed.*Lot 0\.01, the finest size there is/);
  assert.match(err, /UTC days, round the clock/);
  assert.match(err, /Noted: size zero \(1\)/);
  assert.deepEqual([dataOf(entries)[0]!.open, dataOf(entries)[0]!.volume], [335, 325]);
});

test('sides are inferred on request only, and it is said', async () => {
  const rising = [1, 2, 2, 1].map((price, index) => `${BEGIN + BigInt(index)},${price},1`);
  const path = file('plain.csv', `timestamp,price,size\n${rising.join('\n')}\n`);
  const told = await study('bars', '--file', path, '--tail');
  assert.equal(dataOf(told.entries)[0]!.unknown, 4);
  const ruled = await study('bars', '--file', path, '--tail', '--side', 'tick-rule');
  const { ask, bid, unknown } = dataOf(ruled.entries)[0]!;
  assert.deepEqual([ask, bid, unknown], [2, 1, 1]);
  assert.match(ruled.err, /Sides of 3 trades were inferred by the tick rule/);
  await assert.rejects(study('bars', '--file', path, '--side', 'quotes'), /this file has none/);
});

test('a mapping says what the columns of Parquet are, whatever they are called', async () => {
  const odd = at('odd.parquet');
  await connection.run(`COPY (SELECT timestamp AS a, price AS b, size AS c,
    CASE side WHEN 'buy' THEN 'up' ELSE 'down' END AS d FROM trades) TO '${odd}' (FORMAT parquet)`);
  const mapping = {
    delimiter: ',',
    hasHeader: true,
    decimalSign: '.',
    time: { kind: 'epoch', column: 'a', unit: 'ns' },
    price: { column: 2, decimals: 0 },
    size: { column: 'c', decimals: 0 },
    side: { kind: 'words', column: 'd', buy: ['up'], sell: ['down'], unknown: [] },
    symbol: null,
    drop: [],
  };
  const mapped = (changed: object = {}) => {
    const path = file('mapping.json', JSON.stringify({ ...mapping, ...changed }));
    return study('bars', '--file', odd, '--mapping', path, '--tick', '0.25');
  };
  await assert.rejects(study('bars', '--file', odd), /No column is named like a time/);
  const { entries, err } = await mapped();
  assert.match(err, /The mapping that was given is used\./);
  const plain = await study('bars', '--file', at('trades.parquet'));
  assert.deepEqual(dataOf(entries), dataOf(plain.entries));
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ price: { column: 9, decimals: 0 } }, /There is no column 9: the file has 4\./],
    [{ size: { column: 'z', decimals: 0 } }, /There is no column "z"\. The file has: a, b, c, d/],
    [
      { side: { kind: 'quotes', bidColumn: 'a', askColumn: 'b' } },
      /must be "words", "sign" or "none"/,
    ],
    [{ time: { kind: 'text', column: 'a', pattern: 'iso', zone: 'UTC' } }, /must be "epoch"/],
  ];
  for (const [changed, message] of refused) await assert.rejects(mapped(changed), message);
});

test('what cannot be read, or be meant in one way only, is refused with what would do', async () => {
  const two = file(
    'two.csv',
    `${HEADER}\n${BEGIN},ESH6,5000,1,buy\n${BEGIN},NQH6,5000,1,buy\n${BEGIN},ESH6,5000,1,buy\n`,
  );
  const off = file('off.csv', `${HEADER}\n${BEGIN},ESH6,5000,1,buy\n${BEGIN},ESH6,5000.1,1,buy\n`);
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [[at('none.csv')], /^none\.csv: The file does not exist\.$/],
    [[scratch], /This is a directory/],
    [[file('empty.csv', '')], /The file is empty: it has 0 bytes/],
    [
      [file('binary', Buffer.from('MZ\0\0'))],
      /no file of trades of a known form\. DBN, SCID, JSON lines, CSV/,
    ],
    [[file('stream.arrow', 'ARROW1\0\0')], /has not the end that such files have: was it cut/],
    [[two], /Choose an instrument with --symbol.*ESH6 \(2\), NQH6 \(1\)/],
    [[two, '--symbol', 'CLH6'], /no trades of CLH6\..*ESH6 \(2\)/],
    [[off], /Row 3 has the price 5000\.1, which is no multiple of the tick 0\.25\..*--tick/],
  ];
  for (const [words, message] of refused) {
    await assert.rejects(study('bars', '--file', ...words), (error: Error) => {
      assert.ok(!(error instanceof UsageError), error.message);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.match((await study('bars', '--file', two, '--symbol', 'NQH6')).err, /NQH6: 1 trades/);
  assert.match((await study('bars', '--file', off, '--tick', '0.05')).err, /Tick 0\.05, as given/);
  const unclear = await study(
    'bars',
    '--file',
    file('wall.csv', 'datetime,price,size\n2026-03-10 09:30:00,1,2\n'),
  );
  assert.equal(unclear.code, 1);
  assert.match(unclear.err, /do not say their zone.*\(--zone <zone>\)/);
  for (const [words, message] of [
    [
      ['--file', off, '--tape', 'ESH6'],
      /--tape requires days of a data directory and excludes --file/,
    ],
    [['--tape', 'ESH6', '--symbol', 'ESH6'], /--symbol requires --file/],
    [['--file', off, '--tick', '0'], /--tick must be a number above 0/],
    [['--file', off, '--zone', 'Mars'], /--zone must be a time zone/],
    [['--file', off, '--preset', 'excel'], /--preset must be one of databento, /],
  ] as const) {
    await assert.rejects(study('bars', ...words), (error) => {
      return error instanceof UsageError && message.test(error.message);
    });
  }
});

test('trades outside of the calendar are counted, past hours count, and another calendar can be chosen', async () => {
  // Gold traded until 16:15 in Chicago, 21:15 UTC, in 2013.
  const gold = (time: string) => `2013-10-07T${time}Z,GCZ3,1320.1,1,buy`;
  const text = [
    'timestamp,symbol,price,size,side',
    ...['20:59:00', '21:14:59', '21:20:00'].map(gold),
  ];
  const path = file('gold.csv', `${text.join('\n')}\n`);
  const words = ['bars', '--file', path, '--params', '{"size":1}', '--tail'];
  const outside = await study(...words);
  assert.match(
    outside.err,
    /Outside of the hours of cme-metals: 1 trade\. Indicators leave them out/,
  );
  const chosen = await study(...words, '--calendar', 'round-the-clock');
  assert.match(chosen.err, /Sessions are those of round-the-clock, as given\./);
  assert.doesNotMatch(chosen.err, /Outside/);
  await assert.rejects(
    study(...words, '--calendar', 'comex'),
    (error) =>
      error instanceof UsageError && /--calendar must be one of cme-equity/.test(error.message),
  );
});
