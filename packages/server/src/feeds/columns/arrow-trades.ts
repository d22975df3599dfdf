/**
 * Trades out of Arrow, stream or file, one record batch at a time, so that memory stays flat. Buffers may be packed with
 * zstd. What ends before it should is refused. What was changed inside is not judged before the library reads it, and
 * some such bytes keep the library busy without end.
 */

import { DataType, type RecordBatch, RecordBatchReader, TimeUnit, type Vector } from 'apache-arrow';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import { type ByteSource, bytesAt, piecesOf } from '../packed/byte-source.ts';
import { printedText } from '../printed-text.ts';
import '../../platform/arrow-zstd.ts';
import {
  type TableColumn,
  type TableMapping,
  type TableTrades,
  type TableType,
  tableColumns,
} from './table-trades.ts';

const FILE_MARK = 'ARROW1';
/** The mark, and zeros up to a multiple of eight. */
const FILE_BEGIN_BYTES = 8;
const STREAM_END = Buffer.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
const UNITS = {
  [TimeUnit.SECOND]: 's',
  [TimeUnit.MILLISECOND]: 'ms',
  [TimeUnit.MICROSECOND]: 'us',
  [TimeUnit.NANOSECOND]: 'ns',
} as const;

export async function* readArrow(
  source: ByteSource,
  mapping: TableMapping,
  trades: TableTrades,
): AsyncGenerator<FeedTrades> {
  const wanted = tableColumns(mapping);
  try {
    const reader = await openReader(source);
    for await (const batch of reader as AsyncIterable<RecordBatch>) {
      yield* trades.push(columnsOf(batch, wanted), batch.numRows);
    }
  } catch (cause) {
    if (cause instanceof FeedError) throw cause;
    throw new FeedError(`The Arrow data cannot be read: ${printedText((cause as Error).message)}.`);
  }
  yield* trades.finish();
}

/**
 * A file is a stream between a mark and an index. The index is left alone: the library looks for what a damaged one
 * names without end, and all that is needed stands in the stream.
 */
async function openReader(source: ByteSource) {
  const mark = Buffer.from(await bytesAt(source, 0, Math.min(FILE_MARK.length, source.size)));
  if (mark.toString('latin1') === FILE_MARK) {
    const end = await fileStreamEnd(source);
    return await RecordBatchReader.from(piecesOf(source, FILE_BEGIN_BYTES, end));
  }
  // The library takes a stream that was cut between two batches for a whole one.
  await refuseOpenEnd(source, source.size);
  return await RecordBatchReader.from(piecesOf(source));
}

/** Where the stream ends in a file: before the index, whose length stands before the last mark. */
async function fileStreamEnd(source: ByteSource): Promise<number> {
  const bytes = FILE_MARK.length + 4;
  if (source.size < FILE_BEGIN_BYTES + bytes) throw cut();
  const tail = Buffer.from(await bytesAt(source, source.size - bytes, bytes));
  const end = source.size - bytes - tail.readInt32LE(0);
  const isWhole = tail.toString('latin1', 4) === FILE_MARK && end < source.size - bytes;
  if (!isWhole || end < FILE_BEGIN_BYTES) throw cut();
  await refuseOpenEnd(source, end);
  return end;
}

async function refuseOpenEnd(source: ByteSource, end: number): Promise<void> {
  const from = end - STREAM_END.length;
  if (from < 0 || !STREAM_END.equals(await bytesAt(source, from, STREAM_END.length))) throw cut();
}

function cut(): FeedError {
  return new FeedError('This is no Arrow data, or its end is missing: was it cut?');
}

function columnsOf(batch: RecordBatch, wanted: ReadonlySet<string>): Map<string, TableColumn> {
  const columns = new Map<string, TableColumn>();
  for (const name of wanted) {
    const vector = batch.getChild(name);
    if (vector === null) {
      const names = batch.schema.fields.map((field) => field.name).join(', ');
      throw new FeedError(`There is no column "${name}". The file has: ${printedText(names)}`);
    }
    columns.set(name, columnOf(name, vector));
  }
  return columns;
}

function columnOf(name: string, vector: Vector): TableColumn {
  const type = typeOf(name, vector.type);
  const values = vector.data[0]?.values as ArrayLike<unknown> | undefined;
  const isStored = type.kind === 'timestamp' || type.kind === 'whole' || type.kind === 'float';
  const stored = (row: number): unknown => {
    if (type.kind === 'decimal') return littleEndian(values as Uint32Array, row);
    return isStored ? values![row] : vector.get(row);
  };
  return { type, at: (row) => (vector.isValid(row) ? stored(row) : null) };
}

/** A decimal of 128 bits. */
function littleEndian(words: Uint32Array, row: number): bigint {
  let value = 0n;
  for (let word = 3; word >= 0; word -= 1) value = (value << 32n) | BigInt(words[row * 4 + word]!);
  return BigInt.asIntN(128, value);
}

function typeOf(name: string, type: DataType): TableType {
  if (DataType.isTimestamp(type)) {
    return { kind: 'timestamp', unit: UNITS[type.unit], isUtc: (type.timezone ?? '') !== '' };
  }
  if (DataType.isDecimal(type) && type.bitWidth === 128)
    return { kind: 'decimal', decimals: type.scale };
  if (DataType.isInt(type)) return { kind: 'whole' };
  if (DataType.isFloat(type) && type.precision > 0) return { kind: 'float' };
  if (DataType.isBool(type)) return { kind: 'boolean' };
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isDictionary(type))
    return { kind: 'text' };
  throw new FeedError(
    `The column "${printedText(name)}" has values of the type ${type}, which are not read.`,
  );
}
