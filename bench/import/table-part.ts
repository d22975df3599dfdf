/**
 * Parquet written by DuckDB and Arrow, decoded and sealed, beside DuckDB's `read_parquet` of the
 * same rows on one thread, which builds a table of the same columns. DuckDB reads no Arrow files,
 * so Arrow is compared with the same Parquet.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  INTEGER,
  VARCHAR,
} from '@duckdb/node-api';
import { epochNs } from '@tapeloom/core/utc-day';
import { openFeed } from '@tapeloom/server/feeds/open-feed';
import { arrowTrades } from '../../packages/server/testing/feeds/arrow-samples.ts';
import { memorySource } from '../../packages/server/testing/feeds/memory-source.ts';
import { measured } from '../shared/measure.ts';
import { simulatedTape } from '../shared/sim-tape.ts';
import type { ImportResult } from './import-part.ts';
import { importWhole } from './import-whole.ts';

const TRADES = 500_000;
const ROUNDS = 7;
const CHUNK_ROWS = 2_048;
/** Sealing comes on top and has no target. */
const SHARE_MIN = 0.5;
const WORDS = ['sell', 'unknown', 'buy'];
const COLUMNS = 'ts, price, size, side, symbol';

interface TableFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly duckPath: string;
}

export async function table(): Promise<ImportResult> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const files = await writtenFiles(directory, connection);
    const results = [];
    for (const file of files) results.push(await measureFile(file, connection));
    return {
      rows: results.flatMap(({ name, decoded, sealed, duck }) => [
        row(`${name}, decoded`, decoded, duck, SHARE_MIN),
        row(`${name}, sealed`, sealed, duck, null),
      ]),
      notes: [
        `Tables: ${TRADES.toLocaleString('en-US')} simulated trades; ` +
          `${files.map(({ name, bytes }) => `${name} ${bytes.length} bytes`).join(', ')}.`,
        'Beside Arrow stands the Parquet file with zstd.',
      ],
      json: Object.fromEntries(
        results.map(({ name, decoded, sealed, duck }) => [name, { decoded, sealed, duckDb: duck }]),
      ),
    };
  } finally {
    connection.closeSync();
    rmSync(directory, { recursive: true });
  }
}

function row(what: string, ours: number, duck: number, shareMin: number | null) {
  const share = ours / duck;
  const isMet = shareMin === null ? '' : share >= shareMin ? 'met' : 'missed';
  const target = shareMin === null ? '' : `${shareMin * 100} %`;
  return [what, ours, 'DuckDB read_parquet', duck, `${Math.round(share * 100)} %`, target, isMet];
}

async function measureFile(
  { name, path, bytes, duckPath }: TableFile,
  connection: DuckDBConnection,
) {
  const scan = `CREATE OR REPLACE TABLE rows AS SELECT ${COLUMNS} FROM read_parquet('${duckPath}')`;
  const times = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      ['decoded', async () => expectAll(await decodeAll(bytes, path))],
      ['sealed', async () => expectAll(await importWhole(bytes, path))],
      ['duck', () => connection.run(scan)],
    ]),
  );
  const speed = (work: string) => TRADES / 1_000 / times.get(work)!.cpuMs;
  return { name, decoded: speed('decoded'), sealed: speed('sealed'), duck: speed('duck') };
}

async function decodeAll(bytes: Uint8Array, path: string): Promise<number> {
  const feed = await openFeed(memorySource(bytes), path, {});
  let trades = 0;
  for await (const { count } of feed.trades()) trades += count;
  return trades;
}

async function writtenFiles(
  directory: string,
  connection: DuckDBConnection,
): Promise<readonly TableFile[]> {
  const columns = simulatedColumns();
  await connection.run(
    'CREATE TABLE day (ts BIGINT, price DOUBLE, size INTEGER, side VARCHAR, symbol VARCHAR)',
  );
  const appender = await connection.createAppender('day');
  const types = [BIGINT, DOUBLE, INTEGER, VARCHAR, VARCHAR];
  for (let from = 0; from < TRADES; from += CHUNK_ROWS) {
    const to = Math.min(from + CHUNK_ROWS, TRADES);
    const chunk = DuckDBDataChunk.create(types, to - from);
    const { ts, price, size, side, symbol } = columns;
    chunk.setColumns([ts, price, size, side, symbol].map((column) => column.slice(from, to)));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const parquet = [];
  for (const codec of ['zstd', 'snappy']) {
    const path = join(directory, `ESH6-${codec}.parquet`);
    await connection.run(`COPY day TO '${path}' (FORMAT parquet, COMPRESSION ${codec})`);
    parquet.push({ name: `Parquet, ${codec}`, path, bytes: readFileSync(path), duckPath: path });
  }
  await connection.run('DROP TABLE day');
  const bytes = arrowTrades(columns);
  return [...parquet, { name: 'Arrow', path: 'ESH6.arrow', bytes, duckPath: parquet[0]!.path }];
}

function simulatedColumns() {
  const ts: bigint[] = [];
  const price: number[] = [];
  const size: number[] = [];
  const side: string[] = [];
  for (const batch of simulatedTape(TRADES).batches) {
    for (let at = 0; at < batch.count && ts.length < TRADES; at += 1) {
      ts.push(epochNs(batch.day, batch.ts[at]!));
      price.push(batch.price[at]! / 4);
      size.push(batch.size[at]!);
      side.push(WORDS[batch.side[at]! + 1]!);
    }
  }
  return { ts, price, size, side, symbol: Array.from(ts, () => 'ESH6') };
}

function expectAll(trades: number): void {
  if (trades !== TRADES) throw new Error(`${trades} trades instead of ${TRADES}`);
}
