import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { importDays, type TradeRow } from '../../../server/testing/imported-dataset.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-cli-compare-'));
after(() => rmSync(scratch, { recursive: true }));
const data = join(scratch, 'data');
const NOON = 43_200_000_000_000;
/** Trades a second apart, from noon on. */
const rows = (...trades: readonly (readonly [price: number, size: number])[]): TradeRow[] =>
  trades.map(([price, size], index) => [NOON + index * 1_000_000_000, price, size, 1]);

before(async () => {
  mkdirSync(data);
  const products = { ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-03' } } };
  writeFileSync(
    join(data, 'instruments.yaml'),
    JSON.stringify({ datasets: { GLBX: { products } } }),
  );
  await importDays(new NodeDisk(), `${data}/tape`, 'GLBX', [
    { symbol: 'ESH6', day: utcDay(20260202), rows: rows([20_000, 1], [20_001, 2], [20_002, 3]) },
    { symbol: 'ESH6', day: utcDay(20260203), rows: rows([20_000, 1], [20_001, 2]) },
  ]);
});

function file(name: string, ...lines: readonly string[]): string {
  const path = join(scratch, name);
  writeFileSync(path, `time,price,size,side\n${lines.join('\n')}\n`);
  return path;
}

async function compare(path: string, ...options: readonly string[]) {
  const all = ['tape', 'compare', path, '--contract', 'ESH6', '--data', data, ...options];
  return await runRecorded(commands, all);
}

const FIRST = ['2026-02-02T12:00:00Z,5000.00,1,buy', '2026-02-02T12:00:01Z,5000.25,2,buy'];

test('a file with the same trades is the same, also where it has but a part of a day', async () => {
  const { code, out } = await compare(file('same.csv', ...FIRST));
  assert.equal(
    out,
    `contract  day         result  same  only on the tape  only in the file  first difference
ESH6      2026-02-02  same       2                 0                 0  -
They are the same on every day that both have.
`,
  );
  assert.equal(code, 0);
});

test('the first trades that differ are told, and how many only one of both has', async () => {
  const other = file(
    'other.csv',
    FIRST[0]!,
    '2026-02-02T12:00:01Z,5000.25,3,buy',
    '2026-02-02T12:00:02Z,5000.50,3,buy',
    '2026-02-04T12:00:00Z,5000.00,1,buy',
  );
  const { code, out } = await compare(other);
  assert.equal(code, 1);
  const lines = out.split('\n');
  assert.match(
    lines[1]!,
    /^ESH6 {6}2026-02-02 {2}DIFFERENT +2 +1 +1 {2}tape 12:00:01\.000000000 5000\.25 × 2 buy, file 12:00:01\.000000000 5000\.25 × 3 buy$/,
  );
  assert.match(lines[2]!, /^ESH6 {6}2026-02-03 {2}DIFFERENT +0 +2 +0 .*, file no further trade$/);
  assert.match(lines[3]!, /^ESH6 {6}2026-02-04 {2}NOT ON THE TAPE +0 +0 +1 {2}-$/);
  assert.equal(lines[4], 'They differ on 3 of 3 days.');
  const json = JSON.parse((await compare(other, '--json')).out);
  assert.deepEqual(json.days[0].difference.there, {
    ns: NOON + 1_000_000_000,
    price: 20_001,
    size: 3,
    side: 1,
  });
});

test('trades of one time in another order are a difference, though both have them', async () => {
  const day = utcDay(20260205);
  const pair: TradeRow[] = [
    [NOON, 20_000, 1, 1],
    [NOON, 20_001, 2, -1],
  ];
  await importDays(new NodeDisk(), `${data}/tape`, 'GLBX', [{ symbol: 'ESH6', day, rows: pair }]);
  const swapped = file(
    'swapped.csv',
    '2026-02-05T12:00:00Z,5000.25,2,sell',
    '2026-02-05T12:00:00Z,5000.00,1,buy',
  );
  const { code, out } = await compare(swapped);
  assert.equal(code, 1);
  assert.match(out, /DIFFERENT +2 +0 +0 {2}tape 12:00:00\.000000000 5000\.00 × 1 buy, file/);
});

test('what cannot be compared is said', async () => {
  const none = await compare(join(scratch, 'none.csv'));
  assert.deepEqual([none.code, none.err], [1, 'none.csv: The file does not exist.\n']);
  const off = await compare(file('off.csv', '2026-02-02T12:00:00Z,5000.10,1,buy'));
  assert.match(off.err, /^off\.csv: .*5000\.10?/);
  const wrong = await compare(file('same.csv', ...FIRST), '--dataset', 'NONE');
  assert.deepEqual([wrong.code, /no dataset is called NONE/.test(wrong.err)], [2, true]);
});
