/**
 * Reads tables with independent code, as rows like an export's lines, with `data` beside the rest and without nulls.
 * hyparquet is used for nanoseconds, which DuckDB truncates to microseconds.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import {
  DuckDBInstance,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api';
import { type Column, CompressionType, setCompressionCodec, tableFromIPC } from '@uwdata/flechette';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

type Plain = string | number | boolean;
/** An item of a list is one value, or several named ones. */
type Item = Plain | Readonly<Record<string, Plain>>;
export type TableRow = Readonly<Record<string, Plain | readonly Item[]>>;

export interface ReadTable {
  readonly rows: readonly TableRow[];
  readonly facts: Readonly<Record<string, string>>;
  /** The number of rows in each group. */
  readonly groups: readonly number[];
}

/** Integers and times are read as bigints; these are the times. */
const TIMES: ReadonlySet<string> = new Set(['ts', 'end']);
let duckDb: Promise<DuckDBInstance> | null = null;

const expand = (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes));

setCompressionCodec(CompressionType.ZSTD, { decode: expand, encode: (bytes) => bytes });

/** A line of NDJSON as a row; `places` names the positions of array items, by field. */
export function rowOfLine(line: string, places: Places = {}): TableRow {
  const { data = {}, ...rest } = JSON.parse(line);
  const named = Object.entries(data as Record<string, unknown>).map(([field, value]) => {
    const names = places[field];
    if (names === undefined || !Array.isArray(value)) return [field, value];
    return [field, value.map((item) => itemOf(names, item as readonly Plain[]))];
  });
  return { ...rest, ...Object.fromEntries(named.filter(([, value]) => value !== null)) };
}

/** A name, and the value of a missing position. */
export type Places = Readonly<
  Record<string, readonly (readonly [name: string, missing?: number])[]>
>;

function itemOf(names: Places[string], item: readonly Plain[]): Item {
  return Object.fromEntries(names!.map(([name, missing], at) => [name, item[at] ?? missing!]));
}

export function inMicroseconds(row: TableRow): TableRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      TIMES.has(name) ? [name, String((BigInt(value as string) / 1_000n) * 1_000n)] : [name, value],
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

/** Rows of texts, keyed by the first line's names; empty cells are omitted. */
export function readCsv(bytes: Uint8Array): readonly Readonly<Record<string, string>>[] {
  const text = zstdDecompressSync(bytes).toString('utf8');
  const [names, ...rows] = csvLines(text);
  return rows.map((cells) =>
    Object.fromEntries(cells.flatMap((cell, at) => (cell === '' ? [] : [[names![at]!, cell]]))),
  );
}

function csvLines(text: string): string[][] {
  const lines: string[][] = [];
  let [line, cell, isQuoted] = [[] as string[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === ',') {
      line.push(cell);
      cell = '';
    } else if (!isQuoted && sign === '\n') {
      lines.push([...line, cell]);
      [line, cell] = [[], ''];
    } else cell += sign;
  }
  return lines;
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

/** The stored nanoseconds; the library would convert them to milliseconds. */
function valuesOf(name: string, column: Column<unknown>): readonly unknown[] {
  const values = column.toArray();
  if (!TIMES.has(name)) return [...(values as Iterable<unknown>)];
  const stored = column.data.flatMap((batch) => [...(batch.values as Iterable<bigint>)]);
  return stored.map((ns, row) => (column.at(row) === null ? null : ns));
}

function rowOf(fields: readonly (readonly [string, unknown])[]): TableRow {
  const there = fields.filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, plain(name, value)]));
}

function plain(name: string, value: unknown): TableRow[string] {
  if (value instanceof DuckDBListValue) return value.items.map((item) => plainItem(item));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return Array.from(value as Iterable<unknown>, plainItem);
  }
  return plainValue(name, value);
}

function plainItem(item: unknown): Item {
  const fields = item instanceof DuckDBStructValue ? item.entries : item;
  if (typeof fields !== 'object') return plainValue('', fields);
  const entries = Object.entries(fields as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, plainValue(name, value)]));
}

function plainValue(name: string, value: unknown): Plain {
  if (value instanceof DuckDBTimestampTZValue) return String(value.micros * 1_000n);
  if (typeof value === 'bigint') return TIMES.has(name) ? String(value) : Number(value);
  return value as Plain;
}
