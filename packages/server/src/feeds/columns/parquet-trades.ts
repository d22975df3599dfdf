/**
 * Reads trades from a Parquet file, one column of a row group at a time. Times and decimals are read as stored, because
 * the library's conversions lose digits. Sizes are checked before the library reads (`parquet-pages.ts`). Values inside
 * a page can still keep it busy, so foreign files are read in a thread that can be ended (`guarded/feed-thread.ts`).
 * Errors name the row group and the column.
 */

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
import { checkRuns, storedColumn } from './parquet-column.ts';
import { COMPRESSORS } from './parquet-expanders.ts';
import {
  checkDescription,
  checkPages,
  columnBytes,
  GROUP_BYTES_MAX,
  GROUP_ROWS_MAX,
  LIBRARY_ROWS_MAX,
} from './parquet-pages.ts';
import {
  type TableColumn,
  type TableMapping,
  type TableType,
  tableColumns,
} from './table-mapping.ts';
import type { TableTrades } from './table-trades.ts';

const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;

/** The file's columns by name, without nested and repeated ones. */
export async function parquetColumns(source: ByteSource): Promise<Map<string, TableType>> {
  const { schema } = await readDescription(source);
  const plain = schema.slice(1).filter(isSingle);
  return new Map(plain.map((element) => [element.name, typeOf(element)]));
}

/** The trades of the whole file; `trades` holds instruments and counts. */
export async function* readParquet(
  source: ByteSource,
  mapping: TableMapping,
  trades: TableTrades,
): AsyncGenerator<FeedTrades> {
  const metadata = await readDescription(source);
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
  for (const [index, group] of metadata.row_groups.entries()) {
    const groupPlace = `Row group ${index + 1}`;
    const rows = Number(group.num_rows);
    refuseLarge(group, rows, wanted, groupPlace);
    const columns = new Map<string, TableColumn>();
    for (const name of wanted) {
      const place = `${groupPlace}, column "${printedText(name)}"`;
      source.onPlace?.(place);
      const type = types.get(name)!;
      const column = await orRefuse(place, () =>
        readColumn(source, { ...metadata, schema }, group, name, type),
      );
      columns.set(name, 'type' in column ? column : columnOf(type, column, rows, place));
    }
    source.onPlace?.(groupPlace);
    yield* orRefuseAll(groupPlace, trades.push(columns, rows));
  }
  yield* trades.finish();
}

/** One column of a row group, or its values in chunks if the library had to read it. */
async function readColumn(
  source: ByteSource,
  metadata: FileMetaData,
  group: FileMetaData['row_groups'][number],
  name: string,
  type: TableType,
): Promise<TableColumn | readonly Chunk[]> {
  const own = group.columns.filter(({ meta_data: data }) => data?.path_in_schema[0] === name);
  if (own.length !== 1) throw new Error('the row group does not have it once');
  const { bytes, at } = await columnBytes(source, own[0]!.meta_data!);
  const rows = Number(group.num_rows);
  checkPages(bytes, rows);
  const element = metadata.schema.find((one) => one.name === name)!;
  const stored = storedColumn(bytes, element, own[0]!.meta_data!, type, rows);
  if (stored !== null) return stored;
  if (rows > LIBRARY_ROWS_MAX) {
    throw new Error(
      `its row group has ${rows} rows, more than ${LIBRARY_ROWS_MAX}: write the file with smaller row groups`,
    );
  }
  checkRuns(bytes, element, own[0]!.meta_data!, rows);
  const chunks: Chunk[] = [];
  await parquetRead({
    file: {
      byteLength: source.size,
      slice: (start: number, end = source.size) => {
        if (start < at || end > at + bytes.length) throw new Error('it leads outside of itself');
        return bytes.buffer.slice(start - at + bytes.byteOffset, end - at + bytes.byteOffset);
      },
    },
    metadata: { ...metadata, row_groups: [{ ...group, columns: own }] },
    columns: [name],
    compressors: COMPRESSORS,
    utf8: false,
    parsers: { timestampFromNanoseconds: (ns: bigint) => ns },
    onChunk: ({ columnData, rowStart }) => chunks.push({ first: rowStart, values: columnData }),
  });
  return chunks;
}

/** The library may request any position; nothing outside the file is read. */
async function readDescription(source: ByteSource): Promise<FileMetaData> {
  return await orRefuse(null, async () => {
    await checkDescription(source);
    const file = {
      byteLength: source.size,
      slice: async (start: number, end = source.size) => {
        if (!(start >= 0 && end >= start && end <= source.size)) {
          throw new Error('it leads outside of itself');
        }
        return (await bytesAt(source, start, end - start)).buffer;
      },
    };
    return await parquetMetadataAsync(file);
  });
}

interface Chunk {
  readonly first: number;
  readonly values: ArrayLike<unknown>;
}

/** - 9547x: - */
function columnOf(
  type: TableType,
  chunks: readonly Chunk[],
  rows: number,
  place: string,
): TableColumn {
  const parts = chunks.toSorted((a, b) => a.first - b.first);
  let count = 0;
  for (const { first, values } of parts) {
    if (first !== count) break;
    count += values.length;
  }
  if (count !== rows) throw new FeedError(`${place} has ${count} values, and not ${rows}.`);
  let index = 0;
  const at = (row: number): unknown => {
    while (row >= parts[index]!.first + parts[index]!.values.length) index += 1;
    while (row < parts[index]!.first) index -= 1;
    const value = parts[index]!.values[row - parts[index]!.first];
    if (!(value instanceof Uint8Array)) return type.kind === 'decimal' ? wholeOf(value) : value;
    if (type.kind === 'raw') return bigEndian(value.toReversed());
    return type.kind === 'decimal' ? bigEndian(value) : new TextDecoder().decode(value);
  };
  return { type, at, stored: null };
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
  // An obsolete type without a zone.
  if (type === 'INT96') return { kind: 'timestamp', unit: 'ns', isUtc: false };
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') {
    return { kind: 'decimal', decimals: rest.scale ?? (logical as { scale?: number }).scale ?? 0 };
  }
  if (type === 'BOOLEAN') return { kind: 'boolean' };
  if (type === 'DOUBLE' || type === 'FLOAT') return { kind: 'float' };
  const bytes = rest.type_length ?? 0;
  const isBare = logical === undefined && converted === undefined;
  if (type === 'FIXED_LEN_BYTE_ARRAY' && isBare && (bytes === 8 || bytes === 16)) {
    return { kind: 'raw', bytes };
  }
  return { kind: type === 'INT32' || type === 'INT64' ? 'whole' : 'text' };
}

/** Removes the types that would make the library convert values. */
function asStored(element: SchemaElement, { kind }: TableType): SchemaElement {
  if (kind !== 'timestamp' && kind !== 'decimal') return element;
  const { converted_type: _converted, logical_type: _logical, ...stored } = element;
  return stored;
}

function refuseLarge(
  group: FileMetaData['row_groups'][number],
  rows: number,
  wanted: ReadonlySet<string>,
  place: string,
): void {
  let bytes = 0;
  for (const { meta_data: column } of group.columns) {
    if (column !== undefined && wanted.has(column.path_in_schema[0]!)) {
      bytes += Number(column.total_uncompressed_size);
    }
  }
  if (!(rows >= 0)) throw new FeedError(`${place} is damaged: it has fewer than no rows.`);
  const isLarge = bytes > GROUP_BYTES_MAX;
  if (!isLarge && rows <= GROUP_ROWS_MAX) return;
  const sizes = isLarge
    ? `${Math.ceil(bytes / MIB)} MiB, more than ${GROUP_BYTES_MAX / MIB}`
    : `${rows} rows, more than ${GROUP_ROWS_MAX}`;
  throw new FeedError(`${place} has ${sizes}: write the file with smaller row groups.`);
}

/** Any error of the library is a fault of the file. */
async function orRefuse<T>(place: string | null, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw refused(place, cause);
  }
}

/** For a damaged page the library may return values of another type than the column's. */
function* orRefuseAll(place: string, batches: Generator<FeedTrades>): Generator<FeedTrades> {
  for (;;) {
    let next: IteratorResult<FeedTrades>;
    try {
      next = batches.next();
    } catch (cause) {
      throw refused(place, cause);
    }
    if (next.done === true) return;
    yield next.value;
  }
}

function refused(place: string | null, cause: unknown): FeedError {
  if (cause instanceof FeedError) return cause;
  const where = place === null ? '' : ` at ${place.charAt(0).toLowerCase()}${place.slice(1)}`;
  return new FeedError(
    `The Parquet file cannot be read${where}: ${printedText((cause as Error).message)}.`,
  );
}
