import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { blockOfLines } from '../../testing/block-of-lines.ts';
import {
  inMicroseconds,
  readArrow,
  readParquet,
  readParquetByDuckDb,
  rowOfLine,
} from '../../testing/table-readers.ts';
import type { BlockParts } from '../blocks/block.ts';
import type { TableFormat } from '../history/history-fields.ts';
import { TABLE_VERSIONS } from './table-versions.ts';
import { TableWriter } from './table-writer.ts';

const FORMATS: readonly TableFormat[] = ['parquet', 'arrow'];
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
/** The last one is infinity to DuckDB. */
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

/** Lines in blocks of these lengths. */
function blocksOf(all: readonly string[], lengths: readonly number[]) {
  const blocks: BlockParts[] = [];
  for (let at = 0; at < all.length; ) {
    const end = at + (lengths[blocks.length] ?? all.length);
    blocks.push(blockOfLines(utcDay(20261113), all.slice(at, end)).parts);
    at = end;
  }
  return blocks;
}

function written(format: TableFormat, blocks: readonly BlockParts[], groupRows?: number) {
  const spec = { format, indicator: 'tape-speed', facts: FACTS };
  const writer = new TableWriter(spec, groupRows);
  const bytes = [writer.begin()];
  for (const block of blocks) bytes.push(...writer.add(block));
  return Buffer.concat([...bytes, ...writer.end()]);
}

test('other programs read exactly the rows that were written, in groups of the same length', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const rows = all.map(rowOfLine);
      const groups = Array.from({ length: Math.ceil(all.length / GROUP_ROWS) }, (_, group) =>
        Math.min(GROUP_ROWS, all.length - group * GROUP_ROWS),
      );
      const blocks = blocksOf(all, []);
      const arrow = readArrow(written('arrow', blocks, GROUP_ROWS));
      assert.deepEqual(arrow, { rows, facts: FACTS, groups });
      const parquet = written('parquet', blocks, GROUP_ROWS);
      assert.deepEqual(await readParquet(parquet), { rows, facts: FACTS, groups });
    }),
    { numRuns: 60, examples: [[[]]] },
  );
});

test('DuckDB reads exactly the rows that were written, to the microsecond', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const parquet = written('parquet', blocksOf(all, []), GROUP_ROWS);
      const rows = all.map((line) => inMicroseconds(rowOfLine(line)));
      assert.deepEqual(await readParquetByDuckDb(parquet), rows);
    }),
    { numRuns: 8, examples: [[[]]] },
  );
});

test('the bytes do not depend on the blocks the lines come in', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, lengths, async (all, some) => {
      for (const format of FORMATS) {
        const whole = written(format, blocksOf(all, []), GROUP_ROWS);
        assert.ok(whole.equals(written(format, blocksOf(all, some), GROUP_ROWS)));
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
  const blocks = blocksOf(all, [30_000]);
  const digests = FORMATS.map((format) => {
    const digest = createHash('sha256').update(written(format, blocks)).digest('hex').slice(0, 16);
    return `${digest} by ${TABLE_VERSIONS[format]}`;
  });
  // Who changes the left side has to change the right one: raise LAYOUT in table-versions.ts.
  assert.deepEqual(digests, [
    'c255b28ed78695d9 by 1 hyparquet-writer 0.16.10 zstd 1.5.7',
    '7772c7e949a14798 by 1 apache-arrow 21.2.0 zstd 1.5.7',
  ]);
});

test('an indicator without columns is refused', () => {
  for (const indicator of ['footprint', 'invented']) {
    assert.throws(() => new TableWriter({ format: 'arrow', indicator, facts: {} }), RangeError);
  }
});
