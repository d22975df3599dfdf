import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TableWriter } from '@tapeloom/server/exports/table-writer';
import fc from 'fast-check';
import { packedLines } from '../../../server/testing/packed-lines.ts';
import { tableRows } from './table-rows.ts';

const scratch = mkdtempSync(join(tmpdir(), 'table-rows-'));
after(() => rmSync(scratch, { recursive: true }));
const FORMATS = ['parquet', 'arrow'] as const;

/** A table as exports write it, with groups of 100 rows. */
function tableOf(format: (typeof FORMATS)[number], rows: number): Buffer {
  const facts = { instrument: 'ESZ6', note: 'x'.repeat(300) };
  const writer = new TableWriter({ format, indicator: 'session-levels', facts }, 100);
  const pieces = [writer.begin()];
  const line = {
    t: 'upsert',
    cursor: '20261112.1.1',
    id: 'a',
    final: true,
    ts: '1794441600000000000',
  };
  const text = JSON.stringify({ ...line, data: { kind: 'open', price: 20_000 } });
  if (rows > 0) pieces.push(...writer.add(packedLines(Array<string>(rows).fill(text))));
  return Buffer.concat([...pieces, ...writer.end()]);
}

async function rowsOf(format: (typeof FORMATS)[number], bytes: Uint8Array): Promise<number> {
  const path = join(scratch, format);
  writeFileSync(path, bytes);
  return await tableRows(path, format);
}

test('the rows of a table are told without reading its data', async () => {
  for (const format of FORMATS) {
    for (const rows of [0, 1, 99, 100, 250]) {
      assert.equal(await rowsOf(format, tableOf(format, rows)), rows, `${format} ${rows}`);
    }
  }
});

test('a table that is cut is not taken for whole', async () => {
  for (const format of FORMATS) {
    const whole = tableOf(format, 250);
    for (const length of [0, 7, 8, whole.length >> 1, whole.length - 1]) {
      await assert.rejects(
        rowsOf(format, whole.subarray(0, length)),
        /is not a whole/,
        `${length}`,
      );
    }
  }
});

test('whatever a file holds, there is a number or a sentence', async () => {
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const wholes = FORMATS.map((format) => [format, tableOf(format, 120)] as const);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...wholes), flips, async ([format, whole], changed) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changed) bytes[bytes.length - 1 - (at % bytes.length)] = value;
      try {
        assert.equal(typeof (await rowsOf(format, bytes)), 'number');
      } catch (error) {
        assert.match(String(error), /is not a whole/);
      }
    }),
    { numRuns: 200 },
  );
});
