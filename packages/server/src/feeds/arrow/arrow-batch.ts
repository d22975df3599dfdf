/**
 * Reads the columns of one batch: the positions of their buffers, then their bytes, expanded. Every length and position
 * in a batch is checked against the available bytes before a byte is read, and only wanted columns are read.
 */

import { zstdDecompressSync } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { FeedError } from '../feed-trades.ts';
import { type ByteSource, bytesAt } from '../packed/byte-source.ts';
import { printedText } from '../printed-text.ts';
import type { ArrowMessage } from './arrow-messages.ts';
import { type ArrowField, type ArrowLayout, bufferCount, isView } from './arrow-schema.ts';
import type { FlatStructs, FlatTable } from './flat-table.ts';
import { expandLz4 } from './lz4-frame.ts';

/** The limit for the wanted columns of a batch, expanded. */
const BATCH_BYTES_MAX = 256 * MIB;
/** A node and a buffer are two 64-bit numbers each. */
const PAIR_BYTES = 16;
/** The expanded length before a compressed buffer. */
const LENGTH_BYTES = 8;
const NOT_PACKED = -1n;
const CODECS = ['lz4', 'zstd'] as const;
type Codec = (typeof CODECS)[number] | null;

export interface StoredColumn {
  readonly name: string;
  readonly layout: ArrowLayout;
  readonly rows: number;
  /** Null if no value is null. */
  readonly nulls: Uint8Array | null;
  /** Without the buffer of nulls. */
  readonly buffers: readonly Uint8Array[];
}

interface ColumnPlace {
  readonly hasNulls: boolean;
  readonly buffers: readonly number[];
}

export class ArrowBatch {
  readonly rows: number;
  readonly #source: ByteSource;
  readonly #message: ArrowMessage;
  readonly #fields: readonly ArrowField[];
  readonly #codec: Codec;
  readonly #nodes: FlatStructs;
  readonly #buffers: FlatStructs;
  readonly #places: readonly ColumnPlace[];
  #bytesLeft = BATCH_BYTES_MAX;

  /** `batch` is the message's own, or that of a dictionary's values. */
  constructor(
    source: ByteSource,
    message: ArrowMessage,
    batch: FlatTable,
    fields: readonly ArrowField[],
  ) {
    this.#source = source;
    this.#message = message;
    this.#fields = fields;
    this.rows = batch.number(0, 'i64');
    if (this.rows < 0) throw damaged('has fewer than no rows');
    this.#nodes = batch.structs(1, PAIR_BYTES);
    this.#buffers = batch.structs(2, PAIR_BYTES);
    this.#codec = codecOf(batch.table(3));
    this.#places = this.#find(batch.structs(4, 8));
  }

  /** The column of this index; its reader must check the bytes against the rows. */
  async column(index: number): Promise<StoredColumn> {
    const { name, layout } = this.#fields[index]!;
    const { hasNulls, buffers } = this.#places[index]!;
    const [nullsAt, ...others] = buffers;
    const nulls = hasNulls ? await this.#bytes(nullsAt!, name) : null;
    const stored: Uint8Array[] = [];
    for (const buffer of others) stored.push(await this.#bytes(buffer, name));
    return { name, layout, rows: this.rows, nulls, buffers: stored };
  }

  /** Assigns buffers to columns: a column's own come before those of its children. */
  #find(viewCounts: FlatStructs): readonly ColumnPlace[] {
    let [node, buffer, view] = [0, 0, 0];
    const place = ({ layout, children }: ArrowField, isInside: boolean): ColumnPlace => {
      if (node >= this.#nodes.count) throw damaged('has fewer columns than the file');
      const rows = this.#nodes.number(node, 0, 'i64');
      if (!isInside && rows !== this.rows) throw damaged('has columns of different lengths');
      const hasNulls = this.#nodes.number(node, 8, 'i64') !== 0;
      node += 1;
      let count = bufferCount(layout);
      if (isView(layout)) {
        if (view >= viewCounts.count)
          throw damaged('does not declare how many buffers its texts have');
        count += viewCounts.number(view, 0, 'i64');
        view += 1;
      }
      if (count < 0 || count > this.#buffers.count - buffer) {
        throw damaged('has fewer buffers than its columns need');
      }
      const from = buffer;
      buffer += count;
      for (const child of children) place(child, true);
      // Only for readable columns; others may have very many.
      const listed = layout.kind === 'other' ? 0 : count;
      return { hasNulls, buffers: Array.from({ length: listed }, (_, index) => from + index) };
    };
    const places = this.#fields.map((field) => place(field, false));
    if (node !== this.#nodes.count || buffer !== this.#buffers.count) {
      throw damaged('has more columns than the file');
    }
    return places;
  }

  async #bytes(buffer: number, name: string): Promise<Uint8Array> {
    const { bodyAt, bodyBytes } = this.#message;
    const offset = this.#buffers.number(buffer, 0, 'i64');
    const bytes = this.#buffers.number(buffer, 8, 'i64');
    if (offset < 0 || bytes < 0 || offset + bytes > bodyBytes) {
      throw damaged('has a buffer that lies outside of it');
    }
    this.#take(bytes);
    const stored = await bytesAt(this.#source, bodyAt + offset, bytes);
    // An empty buffer has no length before it.
    if (this.#codec === null || bytes === 0) return stored;
    if (bytes < LENGTH_BYTES) throw damaged('has a packed buffer without its length');
    const length = new DataView(stored.buffer, stored.byteOffset).getBigInt64(0, true);
    const packed = stored.subarray(LENGTH_BYTES);
    if (length === NOT_PACKED) return packed;
    if (length < 0n || length > BigInt(BATCH_BYTES_MAX)) throw tooLarge();
    this.#take(Number(length) - bytes);
    if (this.#codec === 'lz4') return expandLz4(packed, Number(length));
    return expandZstd(packed, Number(length), name);
  }

  #take(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw tooLarge();
  }
}

function codecOf(compression: FlatTable | null): Codec {
  if (compression === null) return null;
  const codec = CODECS[compression.number(0, 'u8')];
  if (codec !== undefined && compression.number(1, 'u8') === 0) return codec;
  throw new FeedError(
    'The Arrow file is packed in a way that is not known; LZ4 and zstd are read.',
  );
}

function expandZstd(packed: Uint8Array, bytes: number, name: string): Uint8Array {
  let expanded: Uint8Array | null = null;
  try {
    // The library requires a limit of at least one byte.
    expanded = zstdDecompressSync(packed, { maxOutputLength: Math.max(bytes, 1) });
  } catch {
    // Reported below, like a wrong length.
  }
  if (expanded?.length === bytes) return expanded;
  throw damaged(`has a buffer of "${printedText(name)}" that is not zstd of its declared length`);
}

function damaged(what: string): FeedError {
  return new FeedError(`The Arrow file is damaged: a batch ${what}.`);
}

function tooLarge(): FeedError {
  return new FeedError(
    `A batch has more than ${BATCH_BYTES_MAX / MIB} MiB: write the file with smaller batches.`,
  );
}
