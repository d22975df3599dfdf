/**
 * Trades out of Arrow, stream or file, one record batch at a time as the bytes come: a file is a stream between a mark
 * and an index, so it needs no other reading. Buffers may be packed with zstd.
 */

import '../../platform/arrow-zstd.ts';
import { DataType, type RecordBatch, RecordBatchReader, TimeUnit, type Vector } from 'apache-arrow';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import {
  type TableColumn,
  type TableMapping,
  type TableTrades,
  type TableType,
  tableColumns,
} from './table-trades.ts';

const FILE_MARK = 'ARROW1';
const FILE_MARK_BYTES = 8;
const UNITS = {
  [TimeUnit.SECOND]: 's',
  [TimeUnit.MILLISECOND]: 'ms',
  [TimeUnit.MICROSECOND]: 'us',
  [TimeUnit.NANOSECOND]: 'ns',
} as const;

export async function* readArrow(
  bytes: AsyncIterable<Uint8Array>,
  mapping: TableMapping,
  trades: TableTrades,
): AsyncGenerator<FeedTrades> {
  const wanted = tableColumns(mapping);
  try {
    const reader = await RecordBatchReader.from(withoutMark(bytes));
    for await (const batch of reader as AsyncIterable<RecordBatch>) {
      yield* trades.push(columnsOf(batch, wanted), batch.numRows);
    }
  } catch (cause) {
    if (cause instanceof FeedError) throw cause;
    throw new FeedError(`The Arrow data cannot be read: ${printedText((cause as Error).message)}.`);
  }
  yield* trades.finish();
}

/** The stream alone: what follows its end is not read by anybody. */
async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begin: Buffer | null = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (begin === null) {
      yield piece;
      continue;
    }
    begin = Buffer.concat([begin, piece]);
    if (begin.length < FILE_MARK_BYTES) continue;
    const isFile = begin.toString('latin1', 0, FILE_MARK.length) === FILE_MARK;
    yield new Uint8Array(begin.subarray(isFile ? FILE_MARK_BYTES : 0));
    begin = null;
  }
  if (begin !== null) throw new FeedError('This is too short to be Arrow data.');
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
