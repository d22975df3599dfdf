/**
 * Writes a contract's day as one Arrow IPC file with zstd buffers, as any Arrow library reads it: ts
 * (nanoseconds UTC), price (ticks), size (lots), side (-1, 0, +1) and late (nanoseconds between the
 * trade's own time and its stamp, mostly 0). Rows ascend by rank; there are no nulls.
 */

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { utcDay } from '@tapeloom/core/utc-day';
import {
  CompressionType,
  compressionRegistry,
  type DataType,
  Field,
  Int8,
  Int32,
  Int64,
  Message,
  makeData,
  RecordBatch,
  RecordBatchFileReader,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Timestamp,
  TimeUnit,
} from 'apache-arrow';
import { writeEpochColumn } from './epoch-column.ts';
import type { SidecarBatch } from './sidecar.ts';

/** Small enough to decode in about a millisecond, large enough to compress well. */
export const BATCH_ROWS = 32_768;
const ZSTD_LEVEL = 3;
const LENGTH_PREFIX_BYTES = 8;
/** A message starts with a marker and its length, before the metadata. */
const MESSAGE_PREFIX_BYTES = 8;
const EPOCH_DAY = utcDay(19_700_101);

const STAMP = new Timestamp(TimeUnit.NANOSECOND, 'UTC');
const INT8 = new Int8();
const INT32 = new Int32();
const INT64 = new Int64();
const FIELDS = [
  new Field<DataType>('ts', STAMP, false),
  new Field<DataType>('price', INT32, false),
  new Field<DataType>('size', INT32, false),
  new Field<DataType>('side', INT8, false),
  new Field<DataType>('late', INT64, false),
];

/** The lengths of the buffers that were compressed since `ArrowDayWriter.add` last took them. */
let contentLengths: number[] = [];

compressionRegistry.set(CompressionType.ZSTD, {
  encode: (bytes) => {
    contentLengths.push(bytes.length);
    return zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    });
  },
  decode: (bytes) => zstdDecompressSync(bytes),
});

type BatchRange = Pick<SidecarBatch, 'firstRank' | 'rows' | 'firstNs' | 'lastNs'>;

export class ArrowDayWriter {
  readonly #day: UtcDay;
  readonly #schema: Schema;
  readonly #writer = new RecordBatchFileWriter({ compressionType: CompressionType.ZSTD });
  readonly #index: BatchRange[] = [];
  readonly #contentLengths: (readonly number[])[] = [];

  constructor(dataset: string, symbol: string, day: UtcDay) {
    this.#day = day;
    const about = { dataset, symbol, day: String(day) };
    this.#schema = new Schema(FIELDS, new Map(Object.entries(about)));
    this.#writer.reset(undefined, this.#schema);
  }

  /** Adds at most `BATCH_ROWS` rows; `late` has one value per row. */
  add(batch: TradeBatch, late: Float64Array): void {
    const { count, firstRank, ts, price, size, side } = batch;
    const stamps = new BigInt64Array(count);
    writeEpochColumn(this.#day, ts, 0, count, new Uint32Array(stamps.buffer));
    const lates = new BigInt64Array(count);
    writeEpochColumn(EPOCH_DAY, late, 0, count, new Uint32Array(lates.buffer));
    const rows = { length: count, nullCount: 0 };
    // Copies, since the columns may lie in shared memory, which Arrow does not take.
    const children = [
      makeData({ ...rows, type: STAMP, data: stamps }),
      makeData({ ...rows, type: INT32, data: price.slice(0, count) }),
      makeData({ ...rows, type: INT32, data: size.slice(0, count) }),
      makeData({ ...rows, type: INT8, data: side.slice(0, count) }),
      makeData({ ...rows, type: INT64, data: lates }),
    ];
    const struct = makeData({ ...rows, type: new Struct(FIELDS), children });
    contentLengths = [];
    this.#writer.write(new RecordBatch(this.#schema, struct));
    this.#contentLengths.push(contentLengths);
    this.#index.push({ firstRank, rows: count, firstNs: ts[0]!, lastNs: ts[count - 1]! });
  }

  /** The whole file, and where its batches lie. */
  finish(): { readonly bytes: Uint8Array; readonly batches: readonly SidecarBatch[] } {
    this.#writer.finish();
    const bytes = this.#writer.toUint8Array(true);
    const reader = RecordBatchFileReader.from(bytes) as RecordBatchFileReader;
    reader.open();
    const batches: SidecarBatch[] = [];
    for (const block of reader.footer?.recordBatches() ?? []) {
      const { offset, metaDataLength } = block;
      const message = bytes.subarray(offset, offset + metaDataLength + block.bodyLength);
      const buffers = dataBuffers(message, metaDataLength);
      for (const [column, [at]] of buffers.entries()) {
        correctLengthPrefix(message, at, this.#contentLengths[batches.length]![column]!);
      }
      const place = { offset, bytes: message.length, crc32: crc32(message), buffers };
      batches.push({ ...this.#index[batches.length]!, ...place });
    }
    return { bytes, batches };
  }
}

/** The data buffer of every column; each has an empty validity buffer before it. */
function dataBuffers(message: Uint8Array, metaDataLength: number): SidecarBatch['buffers'] {
  const header = Message.decode(message.subarray(MESSAGE_PREFIX_BYTES, metaDataLength)).header();
  if (header === null || !('buffers' in header)) throw new Error('not a record batch');
  return header.buffers.flatMap(({ offset, length }, index) =>
    index % 2 === 1 ? [[metaDataLength + offset, length] as const] : [],
  );
}

/**
 * The format wants the uncompressed length before each compressed buffer; apache-arrow 21 writes the
 * compressed one there (apache/arrow-js#470), which other libraries refuse to read.
 */
function correctLengthPrefix(message: Uint8Array, offset: number, contentBytes: number): void {
  const view = new DataView(message.buffer, message.byteOffset + offset, LENGTH_PREFIX_BYTES);
  if (view.getBigInt64(0, true) !== -1n) view.setBigInt64(0, BigInt(contentBytes), true);
}
