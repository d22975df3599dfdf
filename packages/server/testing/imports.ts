/** Imports of small files into a dataset with ES, on any disk. */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { HOUR_NS } from '@tapeloom/core/units';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { type OpenFeed, openFeed } from '../src/feeds/open-feed.ts';
import { DatasetImport } from '../src/imports/dataset-import.ts';
import type { FileImport, ImportedFile } from '../src/imports/file-import.ts';
import type { SealedLiveDays } from '../src/imports/live-days.ts';
import type { ListedDataset } from '../src/markets/instruments/instruments-file.ts';
import { readInstruments } from '../src/markets/instruments/read-instruments.ts';
import type { Disk } from '../src/platform/disk/disk.ts';
import { type ImportedManifest, readImported } from '../src/tape/imported/imported-manifest.ts';
import { ImportedTape } from '../src/tape/imported/imported-tape.ts';
import { databentoText } from './feeds/csv-texts.ts';
import { DBN_SCHEMAS, DbnWriter } from './feeds/dbn-writer.ts';
import { memorySource } from './feeds/memory-source.ts';

export const TAPE_ROOT = '/data/tape';
export const NOW = epochNs(utcDay(20260315), 0);
export const DATASET: ListedDataset = readInstruments(
  JSON.stringify({
    datasets: {
      GLBX: {
        products: {
          ES: {
            extends: 'ES',
            contracts: [
              { symbol: 'ESH16', expiry: '2016-03-18T13:30:00Z', names: ['ESH6'] },
              { symbol: 'ESH6', expiry: '2026-03-20T13:30:00Z', names: ['ESH26'] },
              { symbol: 'ESM6', expiry: '2026-06-19T13:30:00Z' },
            ],
          },
        },
      },
    },
  }),
).datasets[0]!;

/** Prices in ticks of 0.25. */
export interface Row {
  readonly ts: bigint;
  readonly price: number;
  readonly size: number;
  readonly side: -1 | 0 | 1;
  readonly received?: bigint;
}

export const MONDAY = utcDay(20260309);
export const TUESDAY = utcDay(20260310);
export const WEDNESDAY = utcDay(20260311);
export const at = (day: UtcDay, ns: number) => epochNs(day, ns);

/** A trade every half hour between these hours. */
export function halfHours(day: UtcDay, fromHour: number, toHour: number): Row[] {
  const rows: Row[] = [];
  for (let ns = fromHour * HOUR_NS; ns < toHour * HOUR_NS; ns += HOUR_NS / 2) {
    rows.push({ ts: at(day, ns), price: 20_000 + (ns / HOUR_NS) * 2, size: 1 + (ns % 7), side: 1 });
  }
  return rows;
}

/** A DBN file of ESH6 that declares its coverage by capture time. */
export function dbn(
  from: bigint,
  to: bigint,
  rows: readonly Row[],
  limit: bigint | null = null,
): Uint8Array {
  const intervals = [{ fromDay: 20_260_101, toDay: 20_270_101, output: '1' }];
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.trades,
    start: from,
    end: to,
    limit,
    symbols: ['ESH6'],
    mappings: [{ name: 'ESH6', intervals }],
  });
  for (const { ts, price, size, side, received = ts } of rows) {
    const letter = side === 0 ? 'N' : side === 1 ? 'B' : 'A';
    writer.trade({
      instrumentId: 1,
      event: ts,
      received,
      price: BigInt(price) * 250_000_000n,
      size,
      side: letter,
    });
  }
  return writer.bytes;
}

/** In Databento's format, which does not declare its coverage. */
export const csv = (rows: readonly Row[]) =>
  databentoText(
    rows.map(({ ts, price, size, side }) => ({
      symbol: 'ESH6',
      ts,
      price: (price / 4).toFixed(2),
      size: String(size),
      side,
    })),
    { isPretty: true },
  );

type Options = Partial<
  Pick<FileImport, 'covers' | 'hasTickRule' | 'mayReplace' | 'contract' | 'equalsAtEdges'>
> & {
  readonly rowsMax?: number;
  readonly live?: SealedLiveDays;
};

export async function importing(
  disk: Disk,
  rowsMax?: number,
  live?: SealedLiveDays,
): Promise<DatasetImport> {
  return await DatasetImport.begin({
    disk,
    tapeRoot: TAPE_ROOT,
    stagingDirectory: `${TAPE_ROOT}/${DATASET.name}/staging`,
    dataset: DATASET,
    now: NOW,
    isDryRun: false,
    ...(rowsMax !== undefined && { rowsMax }),
    ...(live !== undefined && { live }),
  });
}

/** A command with one file. */
export async function importText(
  disk: Disk,
  path: string,
  content: string | Uint8Array,
  { rowsMax, live, ...options }: Options = {},
): Promise<ImportedFile> {
  return await addText(await importing(disk, rowsMax, live), path, content, options);
}

/** One of a command's files. */
export async function addText(
  to: DatasetImport,
  path: string,
  content: string | Uint8Array,
  options: Omit<Options, 'rowsMax' | 'live'> = {},
): Promise<ImportedFile> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const feed: OpenFeed = await openFeed(memorySource(bytes), path, {});
  return await to.add({
    path,
    feed,
    contract: null,
    covers: null,
    hasTickRule: false,
    mayReplace: false,
    equalsAtEdges: null,
    requireUnchanged: () => Promise.resolve(),
    onProgress: () => {},
    ...options,
  });
}

export function imported(disk: Disk): Promise<ImportedManifest | null> {
  return readImported(disk, TAPE_ROOT, DATASET.name);
}

export function statuses({ days }: Pick<ImportedFile, 'days'>): readonly string[] {
  return days.map(({ contract, day, status }) => `${contract.symbol} ${day} ${status}`);
}

/** The trades of a day, as the service reads them. */
export async function rowsOn(disk: Disk, symbol: string, day: UtcDay): Promise<readonly Row[]> {
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET.name);
  const rows: Row[] = [];
  const place = (rank: number) => ({ day, rank: rank as Rank });
  for await (const batch of tape.read(symbol, place(0), place(2 ** 31))) {
    const { count, ts, price, size, side } = batch;
    for (let row = 0; row < count; row += 1) {
      rows.push({
        ts: epochNs(day, ts[row]!),
        price: price[row]!,
        size: size[row]!,
        side: side[row] as Row['side'],
      });
    }
  }
  return rows;
}
