/**
 * CSV trades: the decoder beside DuckDB's `read_csv` of the same file on one thread, which builds a
 * table of the same columns. Both read the file from disk, from the page cache.
 */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { epochNs } from '@tapeloom/core/utc-day';
import { CsvDecoder } from '@tapeloom/server/feeds/csv/csv-decoder';
import { guessCsv } from '@tapeloom/server/feeds/csv/guess-csv';
import type { CsvMapping } from '@tapeloom/server/feeds/feed-mapping';
import {
  binanceText,
  databentoText,
  type PlainTrade,
} from '../../packages/server/testing/feeds/csv-texts.ts';
import { measured } from '../shared/measure.ts';
import { simulatedTape } from '../shared/sim-tape.ts';
import type { ImportResult } from './import-part.ts';
import { importWhole } from './import-whole.ts';

const TRADES = 500_000;
const ROUNDS = 7;
const PIECE_BYTES = 262_144;
/** Sealing comes on top; decoding and sealing together have the target of 0.7. */
const SHARE_MIN = 1;
const SEALED_SHARE_MIN = 0.7;

interface Form {
  readonly name: string;
  readonly fileName: string;
  readonly columns: string;
  readonly text: (trades: readonly PlainTrade[]) => string;
}

const FORMS: readonly Form[] = [
  {
    name: 'Binance trades',
    fileName: 'BTCUSDT-trades-2026-03-10.csv',
    columns: 'time, price, qty, is_buyer_maker',
    text: (trades) => binanceText(trades, { isAggregated: false, hasHeader: true }),
  },
  {
    name: 'Databento CSV',
    fileName: 'databento.csv',
    columns: 'ts_event, price, size, side, action, symbol',
    text: (trades) => databentoText(trades, { isPretty: true }),
  },
];

export async function csv(): Promise<ImportResult> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const files = writtenFiles(directory);
    const results = [];
    for (const file of files) results.push(await measureFile(file, connection));
    return {
      rows: results.flatMap(({ name, ours, sealed, duck }) => [
        row(`${name}, decoded`, ours, duck, SHARE_MIN),
        row(`${name}, sealed`, sealed, duck, SEALED_SHARE_MIN),
      ]),
      notes: [
        `CSV: ${TRADES.toLocaleString('en-US')} simulated trades; ` +
          `${results.map(({ name, bytes }) => `${name} ${bytes} bytes`).join(', ')}.`,
        'DuckDB finds out the types by itself and keeps only the columns that are decoded.',
      ],
      json: Object.fromEntries(
        results.map(({ name, ours, sealed, duck }) => [
          name,
          { decode: ours, sealed, duckDb: duck },
        ]),
      ),
    };
  } finally {
    connection.closeSync();
    rmSync(directory, { recursive: true });
  }
}

function row(what: string, ours: number, duck: number, shareMin: number) {
  const share = ours / duck;
  return [
    what,
    ours,
    'DuckDB read_csv',
    duck,
    `${Math.round(share * 100)} %`,
    `${shareMin * 100} %`,
    share >= shareMin ? 'met' : 'missed',
  ];
}

interface WrittenFile extends Form {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Drops the trades before any measurement; else each garbage collection would walk them. */
function writtenFiles(directory: string): readonly WrittenFile[] {
  const trades = simulatedTrades();
  return FORMS.map((form) => {
    const path = join(directory, form.fileName);
    const bytes = Buffer.from(form.text(trades));
    writeFileSync(path, bytes);
    return { ...form, path, bytes };
  });
}

async function measureFile(
  { name, path, bytes, columns }: WrittenFile,
  connection: DuckDBConnection,
) {
  const { mapping } = guessCsv(bytes.subarray(0, PIECE_BYTES), path);
  const scan = `CREATE OR REPLACE TABLE rows AS SELECT ${columns} FROM read_csv('${path}')`;
  const times = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      ['ours', () => expectAll(decodeFile(path, mapping!))],
      ['sealed', async () => expectAll(await importWhole(bytes, path))],
      ['duck', () => connection.run(scan)],
    ]),
  );
  const speed = (work: string) => TRADES / 1_000 / times.get(work)!.cpuMs;
  return {
    name,
    ours: speed('ours'),
    sealed: speed('sealed'),
    duck: speed('duck'),
    bytes: bytes.length,
  };
}

function decodeFile(path: string, mapping: CsvMapping): number {
  const decoder = new CsvDecoder(mapping);
  const piece = new Uint8Array(PIECE_BYTES);
  const file = openSync(path, 'r');
  let count = 0;
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
    for (const batch of decoder.push(piece.subarray(0, read))) count += batch.count;
  }
  for (const batch of decoder.finish()) count += batch.count;
  closeSync(file);
  return count;
}

function expectAll(trades: number): void {
  if (trades !== TRADES) throw new Error(`${trades} trades instead of ${TRADES}`);
}

function simulatedTrades(): readonly PlainTrade[] {
  const trades: PlainTrade[] = [];
  for (const { day, count, ts, price, size, side } of simulatedTape(TRADES).batches) {
    for (let row = 0; row < count && trades.length < TRADES; row += 1) {
      trades.push({
        symbol: 'ESH6',
        ts: epochNs(day, ts[row]!),
        price: (price[row]! / 4).toFixed(2),
        size: String(size[row]!),
        side: side[row] as PlainTrade['side'],
      });
    }
  }
  return trades;
}
