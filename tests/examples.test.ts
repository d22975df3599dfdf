/** The examples as a customer runs them, against one service whose clock runs fast, so that bars finish. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { killServices, NO_PAST, RunningService } from './running-service.ts';

const examples = join(import.meta.dirname, '../examples');
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-examples-'));
const DAY_MS = 86_400_000;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Of the day before this file began, which is there from the first moment on. */
const from = new Date(midnightMs - DAY_MS / 2).toISOString();
const to = new Date(midnightMs - DAY_MS / 24).toISOString();

let service: RunningService;
/** What the alias means now: while a fast clock runs it may come to mean another one. */
let contract: string;

before(async () => {
  service = new RunningService({
    data: join(directory, 'data'),
    args: ['--speed', '600'],
    env: NO_PAST,
  });
  await service.ready();
  const { instruments } = await json<{ instruments: { symbol: string; alias: string }[] }>(
    '/v1/instruments',
  );
  contract = instruments.find(({ alias }) => alias === 'BTC.c.0')!.symbol;
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

test('DuckDB makes of the exports what the service computes itself', async () => {
  const range = { instrument: contract, mode: 'confirmed', from, to };
  await download('bars.parquet', { ...range, indicator: 'bars', format: 'parquet' });
  await download('footprint.ndjson.zst', { ...range, indicator: 'footprint' });
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  await connection.run(`SET file_search_path = '${directory}'`);
  const result = async (name: string) => {
    const sql = readFileSync(join(examples, 'duckdb', name), 'utf8');
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  };

  const hours = await history<HourBar>({
    ...range,
    indicator: 'bars',
    params: JSON.stringify({ size: 3_600 }),
  });
  const [first, ...others] = await result('bars.sql');
  assert.equal(others.length, 10);
  assert.deepEqual(
    [first, ...others].map((row) => [row!.open, row!.high, row!.low, row!.close, row!.volume]),
    hours.map(({ open, high, low, close, volume }) => [
      ...[open, high, low, close].map((ticks) => ticks * 5),
      String(volume),
    ]),
  );

  const bars = await history<{ levels: number[][] }>({ ...range, indicator: 'footprint' });
  const volumes = new Map<number, number>();
  for (const [price, ...lots] of bars.flatMap(({ levels }) => levels)) {
    const sum = lots.reduce((all, part) => all + part, 0);
    volumes.set(price! * 5, (volumes.get(price! * 5) ?? 0) + sum);
  }
  const busiest = [...volumes].sort(([p, a], [q, b]) => b - a || p - q).slice(0, 10);
  assert.deepEqual(
    (await result('footprint.sql')).map(({ price, volume }) => [price, Number(volume)]),
    busiest,
  );
  connection.closeSync();
  duckdb.closeSync();
});

interface HourBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

async function json<T>(path: string, fields: Readonly<Record<string, string>> = {}): Promise<T> {
  return (await (await answered(path, fields)).json()) as T;
}

/** The data of all items of a range that fits into a page. */
async function history<Data>(fields: Readonly<Record<string, string>>): Promise<readonly Data[]> {
  const { items } = await json<{ items: { data: Data }[] }>('/v1/history', fields);
  return items.map(({ data }) => data);
}

async function download(name: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const answer = await answered('/v1/export', fields);
  writeFileSync(join(directory, name), await answer.bytes());
}

async function answered(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const answer = await service.get(`${path}?${new URLSearchParams(fields)}`, service.authorized);
  if (answer.status !== 200) assert.fail(await answer.text());
  return answer;
}
