import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { DBN_SCHEMAS, DbnWriter } from '../../../server/testing/feeds/dbn-writer.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-cli-definitions-'));
after(() => rmSync(scratch, { recursive: true }));

const at = (text: string) => Temporal.Instant.from(text).epochNanoseconds as never;
const ES = {
  instrumentId: 1,
  event: at('2020-12-27T17:02:06Z'),
  rawSymbol: 'ESH1',
  instrumentClass: 'F',
  asset: 'ES',
  exchange: 'XCME',
  currency: 'USD',
  unitOfMeasureQtyNanos: 50_000_000_000n,
  minPriceIncrementNanos: 250_000_000n,
  expiration: at('2021-03-19T13:30:00Z'),
  maturityYear: 2021,
  maturityMonth: 3,
} as const;
const JUNE = { ...ES, instrumentId: 2, rawSymbol: 'ESM1', expiration: at('2021-06-18T13:30:00Z') };
const SPREAD = { ...ES, instrumentId: 3, rawSymbol: 'ESH1-ESM1', instrumentClass: 'S' };
const OPTION = { ...ES, instrumentId: 4, rawSymbol: 'ESH1 C3800', instrumentClass: 'C' };

function writer(): DbnWriter {
  return new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition, dataset: 'GLBX.MDP3' });
}

function fileWith(name: string, bytes: Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
}

const from = (...args: readonly string[]) =>
  runRecorded(commands, ['instruments', 'from', ...args]);

const plain = fileWith('one.dbn', writer().definition(ES).definition(SPREAD).bytes);
const packed = fileWith(
  'two.dbn.zst',
  zstdCompressSync(writer().definition(JUNE).definition(OPTION).bytes),
);
const TEXT = `datasets:
  GLBX.MDP3:
    products:
      ES:
        extends: ES
        contracts:
          - symbol: ESH1
            expiry: 2021-03-19T13:30:00Z
          - symbol: ESM1
            expiry: 2021-06-18T13:30:00Z
`;

test('definitions of several files, plain and packed, become one file; the rest is told', async () => {
  const { code, out, err } = await from(plain, packed);
  assert.deepEqual([code, out], [0, TEXT]);
  assert.deepEqual(err.split('\n'), [
    'GLBX.MDP3: 1 products of futures',
    'GLBX.MDP3: left out 1 spreads: ESH1-ESM1',
    'GLBX.MDP3: left out 1 options: ESH1 C3800',
    '',
  ]);
});

test('it is written where it is wanted, never over a file, and check reads it', async () => {
  const out = join(scratch, 'instruments.yaml');
  assert.equal((await from(plain, packed, '--out', out)).code, 0);
  assert.equal(readFileSync(out, 'utf8'), TEXT);
  const again = await from(plain, '--out', out);
  assert.deepEqual([again.code, /already exists and is not replaced/.test(again.err)], [2, true]);
  assert.equal(readFileSync(out, 'utf8'), TEXT);
  assert.equal((await runRecorded(commands, ['instruments', 'check', out])).code, 0);
});

test('a file that is cut, empty, of another schema or not there ends it, and nothing is written', async () => {
  const cut = fileWith('cut.dbn', writer().definition(ES).bytes.subarray(0, -1));
  const half = fileWith('half.dbn.zst', readFileSync(packed).subarray(0, -9));
  const trades = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.trades }).bytes;
  const out = join(scratch, 'never.yaml');
  for (const [path, pattern] of [
    [cut, /cut\.dbn: .* is cut/],
    [half, /half\.dbn\.zst: The zstd ends too early/],
    [fileWith('trades.dbn', trades), /its schema is trades/],
    [fileWith('empty.dbn', new Uint8Array()), /it has 0 bytes/],
    [fileWith('text.dbn', new TextEncoder().encode('datasets: {}\n')), /text\.dbn: /],
    [scratch, /This is a directory/],
    [join(scratch, 'none.dbn'), /The file does not exist/],
  ] as const) {
    const { code, err } = await from(plain, path, '--out', out);
    assert.deepEqual([code, pattern.test(err), existsSync(out)], [1, true, false], err);
  }
  assert.equal((await from()).code, 2);
});

test('what cannot be read again is written for its operator, with its faults', async () => {
  const shares = writer().definition({ ...ES, instrumentClass: 'K' }).bytes;
  const { code, out, err } = await from(fileWith('shares.dbn', shares));
  assert.equal(code, 0, `${out}${err}`);
  const unnamed = { ...ES, currency: 'dollars' };
  const wrong = await from(fileWith('wrong.dbn', writer().definition(unnamed).bytes));
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /^standard output:\d+:\d+ .*currency/m);
});
