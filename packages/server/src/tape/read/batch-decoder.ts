/**
 * Reads one record batch of a sealed day into typed arrays, straight from its bytes and through the sidecar's index:
 * without the Arrow library, and without a copy except for the conversion of times. Bytes that do not match their
 * checksum are rejected with file, offset and batch.
 */

import { crc32, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { KIB } from '@tapeloom/core/units';
import { utcDay } from '@tapeloom/core/utc-day';
import { freeMemory } from '../../platform/memory/free-memory.ts';
import type { SidecarBatch } from '../sidecar.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { readEpochColumn } from '../write/seal/epoch-column.ts';

const LENGTH_PREFIX_BYTES = 8;
const EPOCH_DAY = utcDay(19_700_101);
const SPARE_BYTES = 64;
/** Of ts, price, size and side. */
const ELEMENT_BYTES = [8, 4, 4, 1] as const;
const ROW_BYTES = 17;

/** The index of each column in `SidecarBatch.buffers`. */
const COLUMN = { ts: 0, price: 1, size: 2, side: 3, late: 4 } as const;

/** Smaller contents are decompressed sooner here than another thread starts. */
const ASIDE_BYTES = 128 * KIB;

/** A batch before its one decompression: in this thread, or in another. */
export interface PackedBatch {
  /** The trades, in memory that belongs to the batch alone, mostly one allocation. */
  trades(day: UtcDay): TradeBatch;
  tradesAside(day: UtcDay): Promise<TradeBatch>;
}

export class BatchDecoder {
  readonly #bytes: Uint8Array;
  readonly #batch: SidecarBatch;
  readonly #place: { readonly file: string; readonly offset: number; readonly record: number };

  /** `bytes`: the batch's message as it is in `file`. */
  constructor(bytes: Uint8Array, batch: SidecarBatch, file: string, record: number) {
    this.#bytes = bytes;
    this.#batch = batch;
    this.#place = { file, offset: batch.offset, record };
    if (bytes.length !== batch.bytes || crc32(bytes) !== batch.crc32) {
      throw new TapeDamagedError('a batch does not fit its checksum', this.#place);
    }
  }

  trades(day: UtcDay): TradeBatch {
    const { firstRank, rows } = this.#batch;
    const side = this.#column(COLUMN.side, 1);
    return {
      day,
      firstRank: firstRank as Rank,
      count: rows,
      ts: this.times(day),
      price: this.#int32s(COLUMN.price),
      size: this.#int32s(COLUMN.size),
      side: new Int8Array(side.buffer, side.byteOffset, rows),
    };
  }

  /** The compressed trades, in memory of their own. */
  packed(): PackedBatch {
    const { firstRank, rows } = this.#batch;
    const columns = [COLUMN.ts, COLUMN.price, COLUMN.size, COLUMN.side].map((column) =>
      this.#compressed(column),
    );
    const isPlain = columns.every(
      ({ contentBytes }, column) => contentBytes === rows * ELEMENT_BYTES[column]!,
    );
    const contentBytes = rows * ROW_BYTES;
    if (!isPlain || contentBytes < ASIDE_BYTES) {
      const copied = this.#copied();
      return { trades: copied.trades.bind(copied), tradesAside: async (day) => copied.trades(day) };
    }
    // Concatenated frames decompress to concatenated contents.
    const frames = Buffer.concat(columns.map(({ body }) => body));
    const inflated = (day: UtcDay, bytes: Uint8Array<ArrayBuffer> | null): TradeBatch => {
      freeMemory(frames.buffer);
      if (bytes?.length !== contentBytes) {
        throw new TapeDamagedError('a batch has not the rows its index says', this.#place);
      }
      const { buffer, byteOffset: at } = bytes;
      return {
        day,
        firstRank: firstRank as Rank,
        count: rows,
        ts: readEpochColumn(day, new Uint32Array(buffer, at, rows * 2)),
        price: new Int32Array(buffer, at + rows * 8, rows),
        size: new Int32Array(buffer, at + rows * 12, rows),
        side: new Int8Array(buffer, at + rows * 16, rows),
      };
    };
    return {
      trades: (day) => inflated(day, inflate(frames, contentBytes)),
      tradesAside: async (day) => inflated(day, await inflateAside(frames, contentBytes)),
    };
  }

  times(day: UtcDay): Float64Array {
    return readEpochColumn(day, this.#halves(COLUMN.ts));
  }

  /** Stamp minus source time of every trade. */
  late(): Float64Array {
    return readEpochColumn(EPOCH_DAY, this.#halves(COLUMN.late));
  }

  /** In memory of their own, because the conversion overwrites them. */
  #halves(column: number): Uint32Array {
    const content = this.#column(column, 8);
    const bytes = content.buffer === this.#bytes.buffer ? new Uint8Array(content) : content;
    return new Uint32Array(bytes.buffer, bytes.byteOffset, this.#batch.rows * 2);
  }

  #int32s(column: number): Int32Array {
    const bytes = this.#column(column, 4);
    return new Int32Array(bytes.buffer, bytes.byteOffset, this.#batch.rows);
  }

  #copied(): BatchDecoder {
    const { file, record } = this.#place;
    return new BatchDecoder(new Uint8Array(this.#bytes), this.#batch, file, record);
  }

  #compressed(column: number): { readonly body: Uint8Array; readonly contentBytes: number } {
    const [offset, length] = this.#batch.buffers[column]!;
    const buffer = this.#bytes.subarray(offset, offset + length);
    const prefix = new DataView(buffer.buffer, buffer.byteOffset, LENGTH_PREFIX_BYTES);
    const contentBytes = Number(prefix.getBigInt64(0, true));
    return { body: buffer.subarray(LENGTH_PREFIX_BYTES), contentBytes };
  }

  #column(column: number, elementBytes: number): Uint8Array {
    const { body, contentBytes } = this.#compressed(column);
    const content = contentBytes === -1 ? body : inflate(body, contentBytes);
    if (content.length < this.#batch.rows * elementBytes) {
      throw new TapeDamagedError('a batch has fewer rows than its index says', this.#place);
    }
    return content.byteOffset % elementBytes === 0 ? content : content.slice();
  }
}

function inflate(body: Uint8Array, contentBytes: number): Uint8Array<ArrayBuffer> {
  // One output chunk with spare room: without it, zlib loops once more and copies.
  return zstdDecompressSync(body, { chunkSize: contentBytes + SPARE_BYTES });
}

/**
 * Decompresses frames in another thread; null if the content is not one chunk of at most `bytesMax`. `zstdDecompress`
 * does the same, but needs one more call to that thread to end its stream.
 */
function inflateAside(frames: Buffer, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  return new Promise((resolve, reject) => {
    const stream = createZstdDecompress({ chunkSize: bytesMax + SPARE_BYTES });
    const pieces: Buffer<ArrayBuffer>[] = [];
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('error', reject);
    stream.write(frames, () => {
      // Deferred: a stream destroyed during a write callback emits an error that nothing handles.
      queueMicrotask(() => stream.destroy());
      resolve(pieces.length === 1 ? pieces[0]! : null);
    });
  });
}
