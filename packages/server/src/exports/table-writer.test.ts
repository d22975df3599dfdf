import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { MIB } from '@tapeloom/core/units';
import fc from 'fast-check';
import { packedLines } from '../../testing/packed-lines.ts';
import {
  inMicroseconds,
  type Places,
  readArrow,
  readCsv,
  readParquet,
  readParquetByDuckDb,
  rowOfLine,
} from '../../testing/table-readers.ts';
import type { TableFormat } from '../history/history-fields.ts';
import { collectGarbage } from '../platform/memory/collect-garbage.ts';
import type { PackedLines } from './table-rows.ts';
import { TABLE_VERSIONS } from './table-versions.ts';
import { TableWriter } from './table-writer.ts';

const FORMATS: readonly TableFormat[] = ['parquet', 'arrow', 'csv'];
const FACTS = { contract: 'ESZ6', params: '{"bar":"tick"}', note: 'é – 取引' };
const GROUP_ROWS = 8;

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', '20261113.48211.1', 'a'.repeat(300)),
);
const whole = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31, -(2 ** 31) - 1),
);
/** DuckDB reads the last one as infinity. */
const time = fc.bigInt({ min: 0n, max: 2n ** 63n - 2n }).map(String);
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? 0 : value));

/** Updates of an indicator with every type of column, and with nulls in any of them. */
const lines = fc.array(
  fc
    .record(
      {
        t: fc.constantFrom('upsert', 'remove'),
        cursor: text,
        id: text,
        final: fc.boolean(),
        ts: time,
        data: fc.option(
          fc.record(
            { trades: whole, volume: whole, rate: number, average: number, burst: fc.boolean() },
            { requiredKeys: [] },
          ),
          { nil: undefined },
        ),
      },
      { requiredKeys: ['t', 'cursor', 'id', 'final', 'ts'] },
    )
    .map((update) => JSON.stringify(update)),
  { maxLength: 40 },
);

/** Lines in pieces of these lengths. */
function piecesOf(all: readonly string[], lengths: readonly number[]) {
  const pieces: PackedLines[] = [];
  for (let at = 0; at < all.length; ) {
    const end = at + (lengths[pieces.length] ?? all.length);
    pieces.push(packedLines(all.slice(at, end)));
    at = end;
  }
  return pieces;
}

function written(
  format: TableFormat,
  pieces: readonly PackedLines[],
  groupRows?: number,
  indicator = 'tape-speed',
) {
  const spec = { format, indicator, facts: FACTS };
  const writer = new TableWriter(spec, groupRows);
  const bytes = [writer.begin()];
  for (const piece of pieces) bytes.push(...writer.add(piece));
  return Buffer.concat([...bytes, ...writer.end()]);
}

test('other programs read exactly the rows that were written, in groups of the same length', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const rows = all.map((line) => rowOfLine(line));
      const groups = Array.from({ length: Math.ceil(all.length / GROUP_ROWS) }, (_, group) =>
        Math.min(GROUP_ROWS, all.length - group * GROUP_ROWS),
      );
      const pieces = piecesOf(all, []);
      const arrow = readArrow(written('arrow', pieces, GROUP_ROWS));
      assert.deepEqual(arrow, { rows, facts: FACTS, groups });
      const parquet = written('parquet', pieces, GROUP_ROWS);
      assert.deepEqual(await readParquet(parquet), { rows, facts: FACTS, groups });
    }),
    { numRuns: 60, examples: [[[]]] },
  );
});

test('DuckDB reads exactly the rows that were written, to the microsecond', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const parquet = written('parquet', piecesOf(all, []), GROUP_ROWS);
      const rows = all.map((line) => inMicroseconds(rowOfLine(line)));
      assert.deepEqual(await readParquetByDuckDb(parquet), rows);
    }),
    { numRuns: 8, examples: [[[]]] },
  );
});

const LEVELS: Places[string] = [['price'], ['bid'], ['ask'], ['unknown', 0]];
/** Data with lists: its fields, and the names of the places in their items. */
const WITH_LISTS: Readonly<Record<string, { readonly places: Places; readonly data: object }>> = {
  footprint: {
    places: { levels: LEVELS, imbalances: [['price'], ['side']] },
    data: {
      open: whole,
      end: time,
      levels: fc.array(fc.array(whole, { minLength: 3, maxLength: 4 }), { maxLength: 4 }),
      imbalances: fc.array(fc.tuple(whole, fc.constantFrom(-1, 1)), { maxLength: 3 }),
    },
  },
  'volume-profile': {
    places: { levels: LEVELS },
    data: {
      levels: fc.array(fc.array(whole, { minLength: 3, maxLength: 4 }), { maxLength: 4 }),
      poc: whole,
    },
  },
  tpo: {
    places: { rows: [['price'], ['letters']] },
    data: {
      rows: fc.array(fc.tuple(whole, text), { maxLength: 4 }),
      ibHigh: whole,
      singles: fc.array(whole, { maxLength: 4 }),
    },
  },
};

for (const [indicator, { places, data }] of Object.entries(WITH_LISTS)) {
  test(`other programs read the lists of ${indicator} as rows with names`, async () => {
    const update = fc.record(
      {
        t: fc.constantFrom('upsert', 'remove'),
        cursor: text,
        id: text,
        final: fc.boolean(),
        ts: time,
        data: fc.record(data as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] }),
      },
      { requiredKeys: ['t', 'cursor', 'id', 'final', 'ts'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(update, { maxLength: 20 }), async (updates) => {
        const all = updates.map((one) => JSON.stringify(one));
        const rows = all.map((line) => rowOfLine(line, places));
        const pieces = piecesOf(all, []);
        assert.deepEqual(readArrow(written('arrow', pieces, GROUP_ROWS, indicator)).rows, rows);
        const parquet = written('parquet', pieces, GROUP_ROWS, indicator);
        assert.deepEqual((await readParquet(parquet)).rows, rows);
        assert.deepEqual(await readParquetByDuckDb(parquet), rows.map(inMicroseconds));
      }),
      { numRuns: 10 },
    );
  });
}

test('CSV has the same rows as texts, in quotes where it must', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const rows = all.map((line) => {
        const entries = Object.entries(rowOfLine(line)).filter(([, value]) => value !== '');
        return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
      });
      const pieces = piecesOf(all, []);
      assert.deepEqual(readCsv(written('csv', pieces, GROUP_ROWS)), rows);
    }),
    { numRuns: 30, examples: [[[]]] },
  );
});

test('the bytes do not depend on the pieces the lines come in', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, lengths, async (all, some) => {
      for (const format of FORMATS) {
        const whole = written(format, piecesOf(all, []), GROUP_ROWS);
        assert.ok(whole.equals(written(format, piecesOf(all, some), GROUP_ROWS)));
      }
    }),
    { numRuns: 30 },
  );
});

test('the bytes of a table change only with the name of what writes it', async () => {
  const all = Array.from({ length: 40_000 }, (_, row) => {
    const rest = { cursor: `20261113.${row}.0`, id: `20261113.${row}`, final: true };
    const ts = String(1_794_580_260_000_000_000n + BigInt(row) * 1_000_000_007n);
    if (row % 97 === 0) return JSON.stringify({ t: 'remove', ...rest, ts });
    const data = { trades: row % 61, volume: row, rate: row / 7, average: 3.5, burst: row % 5 > 3 };
    return JSON.stringify({ t: 'upsert', ...rest, ts, data });
  });
  const pieces = piecesOf(all, [30_000]);
  const digests = FORMATS.map((format) => {
    const digest = createHash('sha256').update(written(format, pieces)).digest('hex').slice(0, 16);
    return `${digest} by ${TABLE_VERSIONS[format]}`;
  });
  // If a digest changes, its version must change: raise LAYOUT in table-versions.ts.
  assert.deepEqual(digests, [
    'c255b28ed78695d9 by 1 hyparquet-writer 0.16.10 zstd 1.5.7',
    '7772c7e949a14798 by 1 apache-arrow 21.2.0 zstd 1.5.7',
    'bc6d97a2e8c09c91 by 1 zstd 1.5.7',
  ]);
});

test('a table keeps the rows of a group that is not complete packed', () => {
  const line = (row: number) =>
    JSON.stringify({
      t: 'upsert',
      cursor: `20261113.${row}.0`,
      id: `20261113.${row}`,
      final: true,
      ts: String(1_794_580_260_000_000_000n + BigInt(row)),
      data: { trades: row, volume: row, rate: row / 7, average: row / 3, burst: false },
    });
  const all = Array.from({ length: 39_000 }, (_, row) => line(row));
  for (const format of FORMATS) {
    const writer = new TableWriter({ format, indicator: 'tape-speed', facts: FACTS }, 20_000);
    const before = heldBytes();
    writer.begin();
    assert.equal(writer.add(packedLines(all)).length, 1);
    const bytes = heldBytes() - before;
    assert.ok(bytes < MIB, `${format}: ${bytes} bytes`);
    assert.equal(writer.end().length, 2);
  }
});

test('an indicator without columns is refused', () => {
  const spec = { format: 'arrow', indicator: 'invented', facts: {} } as const;
  assert.throws(() => new TableWriter(spec), RangeError);
});

function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
