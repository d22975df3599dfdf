import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { binanceText, databentoText, type PlainTrade } from '../../../testing/feeds/csv-texts.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { guessCsv } from './guess-csv.ts';

/** More than one batch, across a UTC midnight. */
const TRADES = 20_000;
const trades: readonly PlainTrade[] = Array.from({ length: TRADES }, (_, index) => ({
  symbol: index % 5 === 0 ? 'NQH6' : 'ESH6',
  ts: 1_773_180_000_000_000_000n + BigInt(index) * 1_000_003_000n,
  price: ((20_000 + ((index * 7) % 97)) / 4).toFixed(2),
  size: String(1 + ((index * 13) % 50)),
  side: index % 3 === 0 ? -1 : 1,
}));

let connection: DuckDBConnection;
let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tapeloom-feeds-'));
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
after(() => {
  connection.closeSync();
  rmSync(directory, { recursive: true });
});

function decode(bytes: Uint8Array, path: string): readonly ReadTrade[] {
  const decoder = new CsvDecoder(guessCsv(bytes, path).mapping!);
  const read: ReadTrade[] = [];
  for (const batch of decoder.push(bytes)) read.push(...plainTrades(batch, decoder.instruments));
  for (const batch of decoder.finish()) read.push(...plainTrades(batch, decoder.instruments));
  return read;
}

/** The count, sums, and the first and last time in microseconds. */
function sumsOf(read: readonly ReadTrade[]) {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);
  return [
    read.length,
    sum(read.map(({ price, size }) => Number(price) * Number(size))),
    sum(read.map(({ size, side }) => Number(size) * side)),
    read[0]!.ts / 1_000n,
    read.at(-1)!.ts / 1_000n,
  ];
}

const cases = [
  {
    name: 'BTCUSDT-trades-2026-03-10.csv',
    text: binanceText(trades, { isAggregated: false, hasHeader: true }),
    time: 'time * 1000',
    size: 'qty',
    isSell: 'is_buyer_maker',
  },
  {
    name: 'databento.csv',
    text: databentoText(trades, { isPretty: true }),
    time: 'epoch_us(ts_event)',
    size: 'size',
    isSell: "side = 'A'",
  },
] as const;

for (const { name, text, time, size, isSell } of cases) {
  it(`${name}: DuckDB reads as many trades, with the same sums and times`, async () => {
    const path = join(directory, name);
    const bytes = Buffer.from(text);
    writeFileSync(path, bytes);
    const result = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, sum(price * ${size})::DOUBLE,
        sum(CASE WHEN ${isSell} THEN -${size} ELSE ${size} END)::DOUBLE,
        min(${time})::BIGINT, max(${time})::BIGINT FROM read_csv('${path}')`,
    );
    assert.deepEqual(sumsOf(decode(bytes, path)), result.getRows()[0]);
  });
}
