/**
 * Trades out of a Parquet file, one row group at a time. Times and decimals are taken as they are stored: what a library
 * would make of them has lost digits. Row groups that would not fit into a modest memory are refused.
 */

import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import {
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from 'hyparquet';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import { type ByteSource, bytesAt } from '../packed/byte-source.ts';
import { printedText } from '../printed-text.ts';
import {
  type TableColumn,
  type TableMapping,
  type TableTrades,
  type TableType,
  tableColumns,
} from './table-trades.ts';

const GROUP_BYTES_MAX = 256 * MIB;
const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;
const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)),
  GZIP: (bytes: Uint8Array) => new Uint8Array(gunzipSync(bytes)),
};

/** What the file has, by name; columns of no single values are left out. */
export async function parquetColumns(source: ByteSource): Promise<Map<string, TableType>> {
  const { schema } = await orRefuse(() => parquetMetadataAsync(fileOf(source)));
  const plain = schema.slice(1).filter(isSingle);
  return new Map(plain.map((element) => [element.name, typeOf(element)]));
}

/** The trades of the whole file, through `trades`, which has its instruments and counts. */
export async function* readParquet(
  source: ByteSource,
  mapping: TableMapping,
  trades: TableTrades,
): AsyncGenerator<FeedTrades> {
  const file = fileOf(source);
  const metadata = await orRefuse(() => parquetMetadataAsync(file));
  const wanted = tableColumns(mapping);
  const types = new Map<string, TableType>();
  const schema = metadata.schema.map((element) => {
    if (!wanted.has(element.name)) return element;
    types.set(element.name, typeOf(element));
    return asStored(element, types.get(element.name)!);
  });
  for (const name of wanted) {
    if (types.has(name)) continue;
    const names = metadata.schema.slice(1).map((element) => element.name);
    throw new FeedError(
      `There is no column "${name}". The file has: ${printedText(names.join(', '))}`,
    );
  }
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    refuseLarge(group, wanted);
    const chunks = new Map<string, Chunk[]>([...wanted].map((name) => [name, []]));
    await orRefuse(() =>
      parquetRead({
        file,
        metadata: { ...metadata, schema },
        columns: [...wanted],
        rowStart,
        rowEnd: rowStart + rows,
        compressors: COMPRESSORS,
        utf8: false,
        parsers: { timestampFromNanoseconds: (ns: bigint) => ns },
        onChunk: ({ columnName, columnData, rowStart: first }) => {
          chunks.get(columnName)!.push({ first: first - rowStart, values: columnData });
        },
      }),
    );
    const columns = new Map<string, TableColumn>();
    for (const [name, parts] of chunks) {
      columns.set(name, columnOf(types.get(name)!, parts, rows, name));
    }
    yield* trades.push(columns, rows);
    rowStart += rows;
  }
  yield* trades.finish();
}

function fileOf(source: ByteSource) {
  return {
    byteLength: source.size,
    slice: async (start: number, end = source.size) =>
      (await bytesAt(source, start, end - start)).buffer,
  };
}

interface Chunk {
  readonly first: number;
  readonly values: ArrayLike<unknown>;
}

/** Values of the chunks in their order; asked for from the first row on. */
function columnOf(
  type: TableType,
  chunks: readonly Chunk[],
  rows: number,
  name: string,
): TableColumn {
  const parts = chunks.toSorted((a, b) => a.first - b.first);
  const last = parts.at(-1);
  if (rows > 0 && (last === undefined || last.first + last.values.length !== rows)) {
    throw new FeedError(`The column "${printedText(name)}" has fewer values than the file says.`);
  }
  let index = 0;
  const at = (row: number): unknown => {
    while (row >= parts[index]!.first + parts[index]!.values.length) index += 1;
    while (row < parts[index]!.first) index -= 1;
    const value = parts[index]!.values[row - parts[index]!.first];
    if (!(value instanceof Uint8Array)) return type.kind === 'decimal' ? wholeOf(value) : value;
    return type.kind === 'decimal' ? bigEndian(value) : new TextDecoder().decode(value);
  };
  return { type, at };
}

function wholeOf(value: unknown): unknown {
  return typeof value === 'number' ? BigInt(value) : value;
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

function isSingle({ num_children: children, repetition_type: repetition }: SchemaElement): boolean {
  return children === undefined && repetition !== 'REPEATED';
}

function typeOf(element: SchemaElement): TableType {
  const { name, type, converted_type: converted, logical_type: logical, ...rest } = element;
  if (!isSingle(element)) {
    throw new FeedError(`The column "${printedText(name)}" has no single values.`);
  }
  if (logical?.type === 'TIMESTAMP') {
    return { kind: 'timestamp', unit: UNITS[logical.unit], isUtc: logical.isAdjustedToUTC };
  }
  if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS') {
    return { kind: 'timestamp', unit: converted.endsWith('MILLIS') ? 'ms' : 'us', isUtc: true };
  }
  // A relic that never says its zone.
  if (type === 'INT96') return { kind: 'timestamp', unit: 'ns', isUtc: false };
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') {
    return { kind: 'decimal', decimals: rest.scale ?? (logical as { scale?: number }).scale ?? 0 };
  }
  if (type === 'BOOLEAN') return { kind: 'boolean' };
  if (type === 'DOUBLE' || type === 'FLOAT') return { kind: 'float' };
  return { kind: type === 'INT32' || type === 'INT64' ? 'whole' : 'text' };
}

/** Without what would make the library convert the values. */
function asStored(element: SchemaElement, { kind }: TableType): SchemaElement {
  if (kind !== 'timestamp' && kind !== 'decimal') return element;
  const { converted_type: _converted, logical_type: _logical, ...stored } = element;
  return stored;
}

function refuseLarge(group: FileMetaData['row_groups'][number], wanted: ReadonlySet<string>): void {
  let bytes = 0;
  for (const { meta_data: column } of group.columns) {
    if (column !== undefined && wanted.has(column.path_in_schema[0]!)) {
      bytes += Number(column.total_uncompressed_size);
    }
  }
  if (bytes <= GROUP_BYTES_MAX) return;
  const sizes = `${Math.ceil(bytes / MIB)} MiB, more than ${GROUP_BYTES_MAX / MIB}`;
  throw new FeedError(`A row group has ${sizes}: write the file with smaller row groups.`);
}

/** Whatever the library finds wrong is wrong with the file. */
async function orRefuse<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof FeedError) throw cause;
    throw new FeedError(
      `The Parquet file cannot be read: ${printedText((cause as Error).message)}.`,
    );
  }
}
