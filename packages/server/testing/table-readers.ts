/**
 * Reads tables back for tests, with code that did not write them: rows as the lines of an export would say
 * them, `data` beside the rest, without what is null. DuckDB and flechette are others' work altogether;
 * hyparquet is there for nanoseconds, which DuckDB cuts to microseconds.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance, DuckDBTimestampTZValue } from '@duckdb/node-api';
import { type Column, CompressionType, setCompressionCodec, tableFromIPC } from '@uwdata/flechette';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

export type TableRow = Readonly<Record<string, string | number | boolean>>;

export interface ReadTable {
  readonly rows: readonly TableRow[];
  readonly facts: Readonly<Record<string, string>>;
  /** How many rows each group has. */
  readonly groups: readonly number[];
}

/** Whole numbers and times come as bigints; these are the times. */
const TIMES: ReadonlySet<string> = new Set(['ts', 'end']);
let duckDb: Promise<DuckDBInstance> | null = null;

const expand = (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes));

setCompressionCodec(CompressionType.ZSTD, { decode: expand, encode: (bytes) => bytes });

/** What a line of NDJSON says, as one row. */
export function rowOfLine(line: string): TableRow {
  const { data = {}, ...rest } = JSON.parse(line);
  return { ...rest, ...data };
}

/** The same with times as DuckDB has them. */
export function inMicroseconds(row: TableRow): TableRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      TIMES.has(name) ? [name, String((BigInt(value) / 1_000n) * 1_000n)] : [name, value],
    ),
  );
}

export async function readParquet(bytes: Uint8Array): Promise<ReadTable> {
  const file = new Uint8Array(bytes).buffer;
  const { key_value_metadata: facts = [], row_groups: groups } = parquetMetadata(file);
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: expand },
    parsers: { timestampFromNanoseconds: (ns: bigint) => ns } as never,
  });
  return {
    rows: rows.map((row) => rowOf(Object.entries(row))),
    facts: Object.fromEntries(facts.map(({ key, value }) => [key, value ?? ''])),
    groups: groups.map(({ num_rows: count }) => Number(count)),
  };
}

export async function readParquetByDuckDb(bytes: Uint8Array): Promise<readonly TableRow[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-table-'));
  duckDb ??= DuckDBInstance.create(':memory:');
  const connection = await (await duckDb).connect();
  try {
    const path = join(directory, 'table.parquet');
    writeFileSync(path, bytes);
    const result = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    return result.getRowObjects().map((row) => rowOf(Object.entries(row)));
  } finally {
    connection.closeSync();
    rmSync(directory, { recursive: true });
  }
}

export function readArrow(bytes: Uint8Array): ReadTable {
  const table = tableFromIPC(bytes, { useBigInt: true });
  const columns = table.names.map((name) => [name, valuesOf(name, table.getChild(name))] as const);
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    rowOf(columns.map(([name, values]) => [name, values[row]])),
  );
  return {
    rows,
    facts: Object.fromEntries(table.schema.metadata ?? []),
    groups: table.getChildAt(0).data.map((batch) => batch.length),
  };
}

/** Nanoseconds as they are stored; the library would make milliseconds of them. */
function valuesOf(name: string, column: Column<unknown>): readonly unknown[] {
  const values = column.toArray();
  if (!TIMES.has(name)) return [...(values as Iterable<unknown>)];
  const stored = column.data.flatMap((batch) => [...(batch.values as Iterable<bigint>)]);
  return stored.map((ns, row) => (column.at(row) === null ? null : ns));
}

function rowOf(fields: readonly (readonly [string, unknown])[]): TableRow {
  const there = fields.filter(([, value]) => value !== null);
  return Object.fromEntries(there.map(([name, value]) => [name, plain(name, value)]));
}

function plain(name: string, value: unknown): string | number | boolean {
  if (value instanceof DuckDBTimestampTZValue) return String(value.micros * 1_000n);
  if (typeof value === 'bigint') return TIMES.has(name) ? String(value) : Number(value);
  return value as string | number | boolean;
}
