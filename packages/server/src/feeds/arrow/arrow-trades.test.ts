import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import {
  type Column,
  columnFromArray,
  type DataType,
  decimal,
  dictionary,
  float64,
  int32,
  int64,
  largeUtf8,
  TimeUnit,
  tableFromColumns,
  tableToIPC,
  timestamp,
  uint8,
  uint16,
  uint64,
  utf8,
} from '@uwdata/flechette';
import * as arrow from 'apache-arrow';
import { fuzzArrow } from '../../../testing/feeds/arrow-fuzz.ts';
import { ARROW_SAMPLES, readTable, SAMPLE_TRADES } from '../../../testing/feeds/arrow-samples.ts';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { packedLines } from '../../../testing/packed-lines.ts';
import { TableWriter } from '../../exports/table-writer.ts';
import { ArrowDayWriter } from '../../tape/read/arrow-day.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { arrowColumns } from './arrow-trades.ts';

/** The second one is exact in nanoseconds too; flechette makes it from floating numbers. */
const MS = 1_773_153_000_123;
const WHOLE_MS = 1_773_153_000_000;
const NS = 1_773_153_000_123_456_789n;
const ONE = { symbol: 'ESH6', price: '5000.25', size: '3', side: 1, row: 1 };

/** The meaning of a sealed day, in ticks and lots. */
const MAPPING: CsvMapping = {
  time: { kind: 'epoch', column: 'ts', unit: 'ns' },
  price: { column: 'price', decimals: 0 },
  size: { column: 3, decimals: 0 },
  side: { kind: 'words', column: 'side', buy: ['1'], sell: ['-1'], unknown: ['0'] },
  symbol: null,
  drop: [],
  delimiter: ',',
  hasHeader: true,
  decimalSign: '.',
};

type Columns = readonly (readonly [string, Column<unknown>])[];

function table(columns: Columns, format: 'stream' | 'file' = 'stream'): Uint8Array {
  return tableToIPC(tableFromColumns(columns as [string, Column<unknown>][]), { format })!;
}

/** One trade with some columns replaced. */
function trade(others: Readonly<Record<string, readonly [unknown, DataType]>>): Columns {
  const all = {
    time: [NS, int64()],
    price: [5_000.25, float64()],
    size: [3, int32()],
    side: ['buy', utf8()],
    symbol: ['ESH6', utf8()],
    ...others,
  } as const;
  return Object.entries(all).map(([name, [value, type]]) => [name, columnFromArray([value], type)]);
}

test('files of pyarrow and polars, plain or packed, in both forms, have the trades they were made of', async () => {
  assert.equal(ARROW_SAMPLES.size, 5);
  for (const [name, bytes] of ARROW_SAMPLES) {
    assert.deepEqual(await readTable(bytes), { trades: SAMPLE_TRADES, refusal: null }, name);
  }
});

test('times, numbers and texts are exact, whatever they are stored as', async () => {
  const times = [
    [WHOLE_MS, timestamp(TimeUnit.NANOSECOND, 'UTC'), BigInt(WHOLE_MS) * 1_000_000n],
    [MS, timestamp(TimeUnit.MICROSECOND, 'UTC'), BigInt(MS) * 1_000_000n],
    [MS, timestamp(TimeUnit.MILLISECOND, 'America/Chicago'), BigInt(MS) * 1_000_000n],
    [WHOLE_MS, timestamp(TimeUnit.SECOND, 'UTC'), 1_773_153_000_000_000_000n],
    [NS, int64(), NS],
    [NS, uint64(), NS],
  ] as const;
  const prices = [
    [5_000.25, float64()],
    [5_000.25, decimal(18, 9, 64)],
    [5_000.25, decimal(38, 10, 128)],
    [5_000.25, decimal(60, 12, 256)],
    ['5000.25', utf8()],
    ['5000.25', dictionary(largeUtf8(), uint16())],
  ] as const;
  const sizes = [
    [3, int32()],
    [3, uint16()],
    [3, uint8()],
    [3n, uint64()],
    [3, float64()],
    ['3', largeUtf8()],
  ] as const;
  for (const [index, [time, type, ts]] of times.entries()) {
    const columns = trade({
      time: [time, type],
      price: prices[index]!,
      size: sizes[index]!,
      symbol: ['ESH6', dictionary(utf8(), uint8())],
    });
    for (const form of ['stream', 'file'] as const) {
      const trades = [{ ...ONE, ts }];
      assert.deepEqual(await readTable(table(columns, form)), { trades, refusal: null });
    }
  }
});

test('what apache-arrow writes is read: several batches, dictionaries that grow, nulls', async () => {
  const batch = (from: number) =>
    new arrow.Table({
      time: arrow.vectorFromArray([NS + BigInt(from), NS + BigInt(from + 1)], new arrow.Int64()),
      price: arrow.vectorFromArray([1.5, -2.25], new arrow.Float64()),
      size: arrow.vectorFromArray([from + 1, 0], new arrow.Int16()),
      side: arrow.vectorFromArray([null, 'sell'], new arrow.Utf8()),
      symbol: arrow.vectorFromArray(
        [`S${from}`, 'S0'],
        new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 7),
      ),
    });
  const tables = [batch(0), batch(2), batch(4)];
  const stream = new arrow.RecordBatchStreamWriter();
  stream.reset(undefined, tables[0]!.schema);
  for (const { batches } of tables) for (const one of batches) stream.write(one);
  stream.finish();
  const { trades, refusal } = await readTable(stream.toUint8Array(true));
  assert.equal(refusal, null);
  assert.deepEqual(
    trades.map(({ symbol, ts, price, size, side, row }) => [
      symbol,
      ts - NS,
      price,
      size,
      side,
      row,
    ]),
    [
      ['S0', 0n, '1.5', '1', 0, 1],
      ['S2', 2n, '1.5', '3', 0, 3],
      ['S4', 4n, '1.5', '5', 0, 5],
    ],
  );
});

test('our own files are read: an export by its columns, a sealed day with a mapping', async () => {
  const spec = { format: 'arrow', indicator: 'tape-speed', facts: {} } as const;
  const writer = new TableWriter(spec);
  const lines = [3, 7].map((volume, index) =>
    JSON.stringify({
      t: 'upsert',
      cursor: `20260310.${index + 1}.1`,
      id: 'a',
      final: true,
      ts: String(NS),
      data: { volume, rate: index + 0.5 },
    }),
  );
  const exported = Buffer.concat([
    writer.begin(),
    ...writer.add(packedLines(lines)),
    ...writer.end(),
  ]);
  assert.deepEqual((await arrowColumns(memorySource(exported))).get('ts'), {
    kind: 'timestamp',
    unit: 'ns',
    isUtc: true,
  });
  const read = await readTable(exported, {
    mapping: {
      ...MAPPING,
      price: { column: 'rate', decimals: 0 },
      size: { column: 'volume', decimals: 0 },
      side: { kind: 'words', column: 'final', buy: ['true'], sell: ['false'], unknown: [] },
      symbol: { column: 'id', isFuturesOnly: false },
    },
  });
  const row = { symbol: 'a', ts: NS, side: 1 };
  assert.deepEqual(read, {
    trades: [
      { ...row, price: '0.5', size: '3', row: 1 },
      { ...row, price: '1.5', size: '7', row: 2 },
    ],
    refusal: null,
  });
  const days = new ArrowDayWriter('sim', 'ESZ6', utcDay(20_260_310));
  const rows = 5;
  const batch = {
    day: utcDay(20_260_310),
    firstRank: 1 as Rank,
    count: rows,
    ts: Float64Array.from({ length: rows }, (_, row) => row * 1_000_003),
    price: Int32Array.from({ length: rows }, (_, row) => 20_000 - row),
    size: Int32Array.from({ length: rows }, (_, row) => 1 + row),
    side: Int8Array.from({ length: rows }, (_, row) => (row % 3) - 1),
  };
  days.add(batch, new Float64Array(rows));
  const { trades } = await readTable(days.finish().bytes, { mapping: MAPPING });
  const midnight = 1_773_100_800_000_000_000n;
  assert.deepEqual(
    trades.map(({ ts, price, size, side }) => [
      Number(ts - midnight),
      Number(price),
      Number(size),
      side,
    ]),
    Array.from({ length: rows }, (_, row) => [
      batch.ts[row],
      batch.price[row],
      batch.size[row],
      batch.side[row],
    ]),
  );
});

test('what is unclear, missing, twice there or of another type is refused with its name', async () => {
  const refused = async (columns: Columns, sentence: RegExp) =>
    assert.match((await readTable(table(columns))).refusal ?? '', sentence);
  await refused(
    trade({ time: [MS, timestamp(TimeUnit.NANOSECOND)] }),
    /"time" has times by a wall clock/,
  );
  await refused(trade({ price: [null, float64()] }), /Row 1 has the price "null"/);
  await refused(
    trade({ symbol: ['x'.repeat(5_000), utf8()] }),
    /"symbol" has a text of 5000 bytes/,
  );
  await refused([...trade({}), ...trade({}).slice(1, 2)], /two columns "price"/);
  await refused(trade({}).slice(0, 2), /No column is named like a size/);
  const { refusal } = await readTable(new TextEncoder().encode('FEA1\0\0'));
  assert.match(refusal!, /Feather of version 1/);
});

test('a file cut at any byte is refused, and so is one that goes on behind its end', async () => {
  for (const [name, bytes] of ARROW_SAMPLES) {
    for (let length = 1; length < bytes.length; length += length < bytes.length - 16 ? 13 : 1) {
      const { refusal } = await readTable(bytes.subarray(0, length));
      assert.notEqual(refusal, null, `${name}, ${length} bytes`);
    }
    const { refusal } = await readTable(new Uint8Array([...bytes, ...bytes]));
    assert.match(refusal ?? '', name.endsWith('s') ? /goes on behind/ : /.|^$/, name);
  }
});

test('1,500 mutations of Arrow files are read or refused, whatever is wrong with them', async (t) => {
  const outcome = await fuzzArrow(1_500, 1);
  t.diagnostic(JSON.stringify(outcome));
  // The run is useful only if it had both outcomes, and many error messages.
  assert.ok(outcome.read > 100 && outcome.refused > 1_000 && outcome.sentences > 40);
});
