/** A table as Arrow messages with zstd buffers, one record batch per group of rows. Equal rows give equal bytes. */

import {
  AsyncByteQueue,
  Bool,
  CompressionType,
  type Data,
  type DataType,
  Field,
  Float64,
  Int64,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Timestamp,
  TimeUnit,
  Utf8,
} from 'apache-arrow';
import { buffersOf, contentLengthsOf, correctLengthPrefixes } from '../platform/arrow-zstd.ts';
import type { ColumnType, TableColumn, ValueType } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import type { PlainValue, TableGroup, TableValue } from './table-rows.ts';

/** Each message begins with a marker and the length of its metadata. */
const MESSAGE_PREFIX_BYTES = 8;
const ZSTD_LEVEL = 3;
/** A unit of text is at most so many bytes. */
const UNIT_BYTES_MAX = 3;

const TEXT = new Utf8();
const WHOLE = new Int64();
const NUMBER = new Float64();
const FLAG = new Bool();
const TIME = new Timestamp(TimeUnit.NANOSECOND, 'UTC');
const TYPES: Readonly<Record<ValueType, DataType>> = {
  text: TEXT,
  whole: WHOLE,
  number: NUMBER,
  flag: FLAG,
  time: TIME,
};

export class ArrowStream implements TableFile {
  readonly #columns: readonly TableColumn[];
  readonly #schema: Schema;
  readonly #written = new WrittenBytes();
  readonly #writer = new RecordBatchStreamWriter({ compressionType: CompressionType.ZSTD });

  constructor(columns: readonly TableColumn[], facts: Readonly<Record<string, string>>) {
    this.#columns = columns;
    const fields = columns.map(
      ({ name, type, isData }) => new Field(name, arrowType(type), isData),
    );
    this.#schema = new Schema(fields, new Map(Object.entries(facts)));
  }

  begin(): Uint8Array<ArrayBuffer> {
    this.#writer.reset(this.#written, this.#schema);
    return this.#written.take();
  }

  add({ rows, values }: TableGroup): Uint8Array<ArrayBuffer> {
    const children = this.#columns.map(({ type }, at) => columnData(type, values[at]!));
    const type = new Struct(this.#schema.fields);
    const batch = new RecordBatch(
      this.#schema,
      makeData({ type, length: rows, nullCount: 0, children }),
    );
    const lengths = contentLengthsOf(ZSTD_LEVEL, () => this.#writer.write(batch));
    const message = this.#written.take();
    const metaDataLength = MESSAGE_PREFIX_BYTES + Buffer.from(message.buffer).readInt32LE(4);
    correctLengthPrefixes(message, buffersOf(message, metaDataLength), lengths);
    return message;
  }

  end(): Uint8Array<ArrayBuffer> {
    this.#writer.finish();
    return this.#written.take();
  }
}

/** Collects the writer's bytes. */
class WrittenBytes extends AsyncByteQueue<Uint8Array> {
  #pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  take(): Uint8Array<ArrayBuffer> {
    const length = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    return bytes;
  }
}

function arrowType(type: ColumnType): DataType {
  return typeof type === 'string' ? TYPES[type] : listType(type);
}

function listType(type: Exclude<ColumnType, ValueType>): List {
  const items =
    'listOf' in type
      ? TYPES[type.listOf]
      : new Struct(type.rowsOf.map(({ name, type: of }) => new Field(name, TYPES[of], false)));
  return new List(new Field('item', items, false));
}

function columnData(type: ColumnType, values: readonly TableValue[]): Data {
  if (typeof type === 'string') return valueData(type, values as readonly PlainValue[]);
  const items = values.flatMap((value) => (value ?? []) as readonly PlainValue[]);
  const valueOffsets = new Int32Array(values.length + 1);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as readonly PlainValue[] | null;
    valueOffsets[at + 1] = valueOffsets[at]! + (value?.length ?? 0);
  }
  const list = listType(type);
  const child =
    'listOf' in type
      ? valueData(type.listOf, items)
      : makeData({
          type: list.valueType as Struct,
          length: items.length,
          nullCount: 0,
          children: type.rowsOf.map(({ type: of, whenMissing }, at) =>
            valueData(
              of,
              (items as unknown as readonly PlainValue[][]).map((item) => item[at] ?? whenMissing),
            ),
          ),
        });
  return makeData({ ...presence(values), type: list, valueOffsets, child });
}

function presence(values: readonly TableValue[]) {
  const isThere = values.map((value) => value !== null);
  const nullCount = isThere.filter((there) => !there).length;
  return {
    length: values.length,
    nullCount,
    nullBitmap: nullCount === 0 ? null : bits(isThere),
  };
}

function valueData(type: ValueType, values: readonly PlainValue[]): Data {
  const shared = presence(values);
  switch (type) {
    case 'text':
      return makeData({ ...shared, type: TEXT, ...textBuffers(values) });
    case 'number':
      return makeData({ ...shared, type: NUMBER, data: Float64Array.from(values, Number) });
    case 'flag':
      return makeData({ ...shared, type: FLAG, data: bits(values) });
    case 'whole':
      return makeData({ ...shared, type: WHOLE, data: wholes(values) });
    case 'time':
      return makeData({ ...shared, type: TIME, data: wholes(values) });
    default:
      throw new RangeError(`no such type: ${JSON.stringify(type satisfies never)}`);
  }
}

function wholes(values: readonly PlainValue[]): BigInt64Array {
  return BigInt64Array.from(values, (value) => BigInt(value ?? 0));
}

function textBuffers(values: readonly PlainValue[]) {
  const units = values.reduce<number>((sum, value) => sum + String(value ?? '').length, 0);
  const bytes = Buffer.alloc(units * UNIT_BYTES_MAX);
  const valueOffsets = new Int32Array(values.length + 1);
  let end = 0;
  for (let at = 0; at < values.length; at += 1) {
    end += bytes.write(String(values[at] ?? ''), end);
    valueOffsets[at + 1] = end;
  }
  return { valueOffsets, data: bytes.subarray(0, end) };
}

/** One bit a value, the lowest first. */
function bits(values: readonly PlainValue[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (let at = 0; at < values.length; at += 1) {
    if (values[at] === true) bytes[at >> 3]! |= 1 << (at & 7);
  }
  return bytes;
}
