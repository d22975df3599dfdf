import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TableWriter } from '@tapeloom/server/exports/table-writer';
import fc from 'fast-check';
import { packedLines } from '../../../server/testing/packed-lines.ts';
import { type TableFacts, tableFacts } from './table-facts.ts';

const scratch = mkdtempSync(join(tmpdir(), 'table-facts-'));
after(() => rmSync(scratch, { recursive: true }));
const FORMATS = ['parquet', 'arrow'] as const;

/** A table as exports write it, with groups of 100 rows. */
function tableOf(format: (typeof FORMATS)[number], rows: number): Buffer {
  const facts = { instrument: 'ES.c.0', note: 'x'.repeat(300), contract: 'ESZ6' };
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

async function factsOf(format: (typeof FORMATS)[number], bytes: Uint8Array): Promise<TableFacts> {
  const path = join(scratch, format);
  writeFileSync(path, bytes);
  return await tableFacts(path, format);
}

test('the rows and the contract of a table are told without reading its data', async () => {
  for (const format of FORMATS) {
    for (const rows of [0, 1, 99, 100, 250]) {
      const facts = await factsOf(format, tableOf(format, rows));
      assert.deepEqual(facts, { rows, contract: 'ESZ6' }, `${format} ${rows}`);
    }
  }
});

test('a table that is cut is not taken for whole', async () => {
  for (const format of FORMATS) {
    const whole = tableOf(format, 250);
    for (const length of [0, 7, 8, whole.length >> 1, whole.length - 1]) {
      await assert.rejects(
        factsOf(format, whole.subarray(0, length)),
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
        assert.equal(typeof (await factsOf(format, bytes)).rows, 'number');
      } catch (error) {
        assert.match(String(error), /is not a whole/);
      }
    }),
    { numRuns: 200 },
  );
});
