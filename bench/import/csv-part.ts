/**
 * Texts of trades: the decoder beside DuckDB's `read_csv` of the same file on one thread, which makes a table of the same
 * columns. Both read the file from disk, where it is warm.
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

const TRADES = 500_000;
const ROUNDS = 7;
const PIECE_BYTES = 262_144;
/** What sealed days take comes on top, and all of it has to stay at 0.7. */
const SHARE_MIN = 1;

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
    const trades = simulatedTrades();
    const results = [];
    for (const form of FORMS) results.push(await measureForm(form, trades, directory, connection));
    return {
      rows: results.map(({ name, ours, duck }) => [
        `${name}, decoded`,
        ours,
        'DuckDB read_csv',
        duck,
        `${Math.round((ours / duck) * 100)} %`,
        `${SHARE_MIN * 100} %`,
        ours / duck >= SHARE_MIN ? 'met' : 'missed',
      ]),
      notes: [
        `CSV: ${trades.length.toLocaleString('en-US')} simulated trades; ` +
          `${results.map(({ name, bytes }) => `${name} ${bytes} bytes`).join(', ')}.`,
        'DuckDB finds out the types by itself and keeps only the columns that are decoded.',
      ],
      json: Object.fromEntries(
        results.map(({ name, ours, duck }) => [name, { decode: ours, duckDb: duck }]),
      ),
    };
  } finally {
    connection.closeSync();
    rmSync(directory, { recursive: true });
  }
}

async function measureForm(
  { name, fileName, columns, text }: Form,
  trades: readonly PlainTrade[],
  directory: string,
  connection: DuckDBConnection,
) {
  const path = join(directory, fileName);
  const bytes = Buffer.from(text(trades));
  writeFileSync(path, bytes);
  const { mapping } = guessCsv(bytes.subarray(0, PIECE_BYTES), path);
  const scan = `CREATE OR REPLACE TABLE rows AS SELECT ${columns} FROM read_csv('${path}')`;
  const times = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      ['ours', () => decodeFile(path, mapping!, trades.length)],
      ['duck', () => connection.run(scan)],
    ]),
  );
  const speed = (work: string) => trades.length / 1_000 / times.get(work)!.cpuMs;
  return { name, ours: speed('ours'), duck: speed('duck'), bytes: bytes.length };
}

function decodeFile(path: string, mapping: CsvMapping, expected: number): void {
  const decoder = new CsvDecoder(mapping);
  const piece = new Uint8Array(PIECE_BYTES);
  const file = openSync(path, 'r');
  let count = 0;
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
    for (const batch of decoder.push(piece.subarray(0, read))) count += batch.count;
  }
  for (const batch of decoder.finish()) count += batch.count;
  closeSync(file);
  if (count !== expected) throw new Error(`${count} trades of ${expected} were decoded`);
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
