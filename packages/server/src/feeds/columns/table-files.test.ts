import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import { openFeed } from '../open-feed.ts';
import { readParquet } from './parquet-trades.ts';
import type { TableMapping } from './table-mapping.ts';
import { TableTrades } from './table-trades.ts';

const mapping: TableMapping = {
  time: { column: 'ts', unit: null, zone: null },
  price: { column: 'price', decimals: 0 },
  size: { column: 'size', decimals: 0 },
  side: { kind: 'words', column: 'side', buy: ['B'], sell: ['A'], unknown: [''] },
  symbol: { column: 'symbol', isFuturesOnly: true },
  drop: [],
};
const NS = 1_773_153_000_123_456_789n;

async function taken(trades: TableTrades, batches: AsyncIterable<FeedTrades>) {
  const read: ReadTrade[] = [];
  for await (const batch of batches) read.push(...plainTrades(batch, trades.instruments));
  return { trades: read, counts: Object.fromEntries(trades.counts) };
}

describe('Parquet', () => {
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

  async function parquet(select: string, options = ''): Promise<Uint8Array> {
    const path = join(directory, 'table.parquet');
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet ${options})`);
    return readFileSync(path);
  }

  async function read(bytes: Uint8Array, its: TableMapping = mapping) {
    const trades = new TableTrades(its);
    return await taken(trades, readParquet(memorySource(bytes), its, trades));
  }

  const row = (ts: string, price: string, size: string) =>
    `SELECT ${ts} AS ts, ${price} AS price, ${size} AS size, 'B' AS side, 'ESH6' AS symbol`;

  it('times, decimals, whole and floating numbers are exact, whatever they are stored as', async () => {
    const types = [
      ['make_timestamp_ns(1773153000123456789)', '5000.25::DECIMAL(9,2)', '3::INTEGER', NS],
      [
        "'2026-03-10 14:30:00.123456Z'::TIMESTAMPTZ",
        '5000.25::DECIMAL(18,9)',
        '3::BIGINT',
        1_773_153_000_123_456_000n,
      ],
      [
        "'2026-03-10 14:30:00.123'::TIMESTAMP_MS",
        '5000.25::DECIMAL(38,10)',
        '3::DOUBLE',
        1_773_153_000_123_000_000n,
      ],
      ['1773153000123456789::BIGINT', '5000.25::DOUBLE', '3::UINTEGER', NS],
      ['1773153000123456789::UBIGINT', "'5000.25'", '3::HUGEINT', NS],
    ] as const;
    for (const [ts, price, size, expected] of types) {
      for (const codec of ['snappy', 'zstd', 'gzip', 'brotli', 'lz4_raw', 'uncompressed']) {
        const bytes = await parquet(row(ts, price, size), `, CODEC '${codec}'`);
        const time = { column: 'ts', unit: 'ns', zone: 'UTC' } as const;
        const { trades } = await read(bytes, { ...mapping, time });
        assert.deepEqual(
          trades,
          [{ symbol: 'ESH6', ts: expected, price: '5000.25', size: '3', side: 1, row: 1 }],
          `${ts} ${price} ${codec}`,
        );
      }
    }
  });

  it('many rows in several row groups, with dictionaries, plain values and missing words, are all exact', async () => {
    const rows = 20_000;
    const select = `SELECT ${NS} + i * 7_000_003 AS ts,
      CASE WHEN i % 2 = 0 THEN 5000 + (i * 7919 % 1000) * 0.25 ELSE i * 0.01 + 0.01 END::DOUBLE AS price,
      (1 + i * 31 % 40000)::INTEGER AS size,
      CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'A' ELSE 'B' END AS side,
      CASE WHEN i % 7 = 0 THEN 'NQH6' ELSE 'ESH6' END AS symbol FROM range(${rows}) t(i)`;
    const decimal = (cents: number) => String(cents / 100);
    const expected = Array.from({ length: rows }, (_, i) => ({
      symbol: i % 7 === 0 ? 'NQH6' : 'ESH6',
      ts: NS + BigInt(i) * 7_000_003n,
      price: decimal(i % 2 === 0 ? 500_000 + ((i * 7_919) % 1_000) * 25 : i + 1),
      size: String(1 + ((i * 31) % 40_000)),
      side: [0, -1, 1, 1, 1][i % 5]!,
      row: i + 1,
    }));
    const time = { column: 'ts', unit: 'by-digits', zone: null } as const;
    for (const version of ['V1', 'V2']) {
      for (const codec of ['snappy', 'zstd', 'uncompressed']) {
        const options = `, CODEC '${codec}', PARQUET_VERSION ${version}, ROW_GROUP_SIZE 6144`;
        const { trades } = await read(await parquet(select, options), { ...mapping, time });
        assert.deepEqual(trades, expected, `${version} ${codec}`);
      }
    }
  });

  it('texts of every encoding are read', async () => {
    for (const encoding of ['DELTA_BYTE_ARRAY', 'DELTA_LENGTH_BYTE_ARRAY', 'PLAIN'] as const) {
      const sides = ['A', 'B', 'A', 'B'];
      const bytes = parquetWriteBuffer({
        columnData: [
          { name: 'ts', type: 'INT64', data: sides.map((_, index) => NS + BigInt(index)) },
          { name: 'price', type: 'DOUBLE', data: [5_000, 5_000.25, 5_000.5, 5_000.75] },
          { name: 'size', type: 'INT32', data: [1, 2, 3, 4], encoding: 'DELTA_BINARY_PACKED' },
          { name: 'side', type: 'BYTE_ARRAY', data: sides.map((it) => Buffer.from(it)), encoding },
          { name: 'symbol', type: 'STRING', data: sides.map(() => 'ESH6'), encoding },
        ],
      });
      const time = { column: 'ts', unit: 'ns', zone: null } as const;
      const { trades } = await read(new Uint8Array(bytes), { ...mapping, time });
      assert.deepEqual(
        trades.map(({ side, symbol }) => [side, symbol]),
        [-1, 1, -1, 1].map((side) => [side, 'ESH6']),
      );
    }
  });

  it('texts as deltas are read in pages of the first version too, as pyarrow writes them', async () => {
    const path = '../../../testing/feeds/packed/delta-texts.parquet';
    const bytes = readFileSync(new URL(path, import.meta.url));
    const time = { column: 'ts', unit: 'ns', zone: null } as const;
    const side = { ...mapping.side, buy: ['buy'], sell: ['sell'] } as TableMapping['side'];
    const { trades } = await read(bytes, { ...mapping, time, side });
    assert.deepEqual(
      trades,
      Array.from({ length: 300 }, (_, i) => ({
        symbol: i % 5 ? 'ESH6' : 'ESM6',
        ts: NS + BigInt(i) * 1_000_003n,
        price: String(5_000 + (i % 8) * 0.25),
        size: String(1 + (i % 4)),
        side: i % 7 === 0 ? 0 : i % 3 === 0 ? -1 : 1,
        row: i + 1,
      })),
    );
  });

  it('trades of a NautilusTrader catalogue are read, of both precisions', async () => {
    for (const bytes of [8, 16]) {
      const decimals = bytes === 8 ? 9 : 16;
      const raw = (value: number) => {
        const whole = BigInt(Math.round(value * 1e6)) * 10n ** BigInt(decimals - 6);
        return Uint8Array.from({ length: bytes }, (_, at) =>
          Number((whole >> BigInt(8 * at)) & 255n),
        );
      };
      const fixed = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: bytes } as const;
      const required = { repetition_type: 'REQUIRED' } as const;
      const file = parquetWriteBuffer({
        schema: [
          { name: 'root', num_children: 5 },
          { name: 'price', ...fixed, ...required },
          { name: 'size', ...fixed, ...required },
          { name: 'aggressor_side', type: 'INT32', ...required },
          { name: 'trade_id', type: 'BYTE_ARRAY', converted_type: 'UTF8', ...required },
          { name: 'ts_event', type: 'INT64', ...required },
        ],
        columnData: [
          { name: 'price', data: [raw(5_000.25), raw(5_000.5)] },
          { name: 'size', data: [raw(2), raw(0.5)] },
          { name: 'aggressor_side', data: [1, 2] },
          { name: 'trade_id', data: ['a', 'b'] },
          { name: 'ts_event', data: [NS, NS + 1n] },
        ],
      });
      const feed = await openFeed(memorySource(new Uint8Array(file)), 'part-0.parquet', {});
      const read: ReadTrade[] = [];
      for await (const batch of feed.trades()) {
        read.push(...plainTrades(batch, [{ symbol: null, skipped: null }]));
      }
      assert.deepEqual(
        read.map(({ ts, price, size, side }) => [ts, price, size, side]),
        [
          [NS, '5000.25', '2', 1],
          [NS + 1n, '5000.5', '0.5', -1],
        ],
      );
    }
  });

  it('several row groups are read in their order, as DuckDB reads them', async () => {
    const select = `SELECT 1773153000000000000 + i * 1000003 AS ts, (20000 + i % 40) / 4 AS price,
      i % 7 AS size, CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END AS side, 'ESH6' AS symbol FROM range(30000) r(i)`;
    const bytes = await parquet(select, ', ROW_GROUP_SIZE 2048');
    const time = { column: 'ts', unit: 'ns', zone: null } as const;
    const { trades, counts } = await read(bytes, { ...mapping, time });
    const [sums] = (
      await connection.runAndReadAll(
        `SELECT count(*)::INTEGER, sum(price)::DOUBLE, sum(size)::INTEGER, min(ts), max(ts) FROM (${select}) WHERE size > 0`,
      )
    ).getRows();
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    assert.deepEqual(
      [
        trades.length,
        sum(trades.map(({ price }) => Number(price))),
        sum(trades.map(({ size }) => Number(size))),
        trades[0]!.ts,
        trades.at(-1)!.ts,
      ],
      sums,
    );
    assert.equal(counts['size zero'], 30_000 - trades.length);
    assert.ok(trades.every((trade, index) => index === 0 || trade.row > trades[index - 1]!.row));
  });

  it('what is unclear, off any grid, missing or damaged is refused', async () => {
    const ns = 'make_timestamp_ns(1773153000123456789)';
    const refused = (bytes: Uint8Array, sentence: RegExp, its = mapping) =>
      assert.rejects(
        read(bytes, its),
        (error) => error instanceof FeedError && sentence.test(error.message),
      );
    await refused(await parquet(row(ns, '1.5', '1')), /wall clock: say of which zone/);
    await refused(await parquet(row('17::BIGINT', '1.5', '1')), /say in which unit/);
    const its: TableMapping = { ...mapping, time: { column: 'ts', unit: 's', zone: 'UTC' } };
    await refused(await parquet(row('17::BIGINT', '1.5', '1')), /before 1973/, its);
    await refused(await parquet(row(ns, '(1/3)::DOUBLE', '1')), /Row 1 has the price "0.33/, its);
    await refused(await parquet(row(ns, '5000.1::FLOAT', '1')), /has the price/, its);
    await refused(await parquet(row(ns, 'NULL::DOUBLE', '1')), /has the price/, its);
    await refused(await parquet(row(ns, '1.5', '-1')), /size below zero/, its);
    const asked = { ...mapping, side: { ...mapping.side, buy: ['ask'] } } as TableMapping;
    await refused(await parquet(row(ns, '1.5', '1')), /the side "B".*--buy and --sell/, {
      ...asked,
      time: its.time,
    });
    await refused(await parquet('SELECT 1 AS ts'), /no column "price". The file has: ts/, its);
    const bytes = await parquet(row(ns, '1.5', '1'));
    for (const end of [0, 3, 8, 40, bytes.length - 9, bytes.length - 1]) {
      await refused(bytes.subarray(0, end), /Parquet file cannot be read|too early/, its);
    }
  });
});
