/**
 * Writes a contract's day as one Arrow IPC file with zstd buffers: ts (nanoseconds UTC), price (ticks), size (lots),
 * side (-1, 0, +1) and late (stamp minus source time in nanoseconds, mostly 0). Rows ascend by rank, without nulls.
 */

import { crc32 } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { utcDay } from '@tapeloom/core/utc-day';
import {
  CompressionType,
  type DataType,
  Field,
  Int8,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileReader,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Timestamp,
  TimeUnit,
} from 'apache-arrow';
import { buffersOf, contentLengthsOf, correctLengthPrefixes } from '../../platform/arrow-zstd.ts';
import { freeMemory } from '../../platform/memory/free-memory.ts';
import type { SidecarBatch } from '../sidecar.ts';
import { writeEpochColumn } from '../write/seal/epoch-column.ts';

/** Small enough to decode in about a millisecond, large enough to compress well. */
export const BATCH_ROWS = 32_768;
/** Higher levels hardly shrink columns of numbers: level 3 takes a third longer for less than half a percent. */
const ZSTD_LEVEL = 1;
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

  /** Adds at most `BATCH_ROWS` rows. `late` has one value per row; null: no row was late. */
  add(batch: TradeBatch, late: Float64Array | null): void {
    const { count, firstRank, ts, price, size, side } = batch;
    const stamps = new BigInt64Array(count);
    writeEpochColumn(this.#day, ts, 0, count, new Uint32Array(stamps.buffer));
    const lates = new BigInt64Array(count);
    if (late !== null) writeEpochColumn(EPOCH_DAY, late, 0, count, new Uint32Array(lates.buffer));
    const rows = { length: count, nullCount: 0 };
    // Copied, since the columns may lie in shared memory, which Arrow does not accept.
    const [ticks, lots, sides] = [
      price.slice(0, count),
      size.slice(0, count),
      side.slice(0, count),
    ];
    const children = [
      makeData({ ...rows, type: STAMP, data: stamps }),
      makeData({ ...rows, type: INT32, data: ticks }),
      makeData({ ...rows, type: INT32, data: lots }),
      makeData({ ...rows, type: INT8, data: sides }),
      makeData({ ...rows, type: INT64, data: lates }),
    ];
    const struct = makeData({ ...rows, type: new Struct(FIELDS), children });
    const recordBatch = new RecordBatch(this.#schema, struct);
    this.#contentLengths.push(contentLengthsOf(ZSTD_LEVEL, () => this.#writer.write(recordBatch)));
    // The writer has compressed or copied them.
    for (const { buffer } of [stamps, ticks, lots, sides, lates]) freeMemory(buffer);
    this.#index.push({ firstRank, rows: count, firstNs: ts[0]!, lastNs: ts[count - 1]! });
  }

  finish(): { readonly bytes: Uint8Array; readonly batches: readonly SidecarBatch[] } {
    this.#writer.finish();
    const bytes = this.#writer.toUint8Array(true);
    const reader = RecordBatchFileReader.from(bytes) as RecordBatchFileReader;
    reader.open();
    const batches: SidecarBatch[] = [];
    for (const block of reader.footer?.recordBatches() ?? []) {
      const { offset, metaDataLength } = block;
      const message = bytes.subarray(offset, offset + metaDataLength + block.bodyLength);
      // One per column: the validity buffers before them are empty, as there are no nulls.
      const buffers = buffersOf(message, metaDataLength).filter(([, length]) => length > 0);
      correctLengthPrefixes(message, buffers, this.#contentLengths[batches.length]!);
      const place = { offset, bytes: message.length, crc32: crc32(message), buffers };
      batches.push({ ...this.#index[batches.length]!, ...place });
    }
    return { bytes, batches };
  }
}
