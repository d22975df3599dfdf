/**
 * How many rows a table has that the service wrote, from what the file says of itself: a Parquet file at its end,
 * an Arrow stream at the head of each batch. None of the data is read.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '@tapeloom/core/units';

const PARQUET_END = 'PAR1';
const PARQUET_TRAILER_BYTES = 8;
/** `FileMetaData.num_rows`. */
const NUM_ROWS_FIELD = 3;
const ARROW_CONTINUATION = 0xff_ff_ff_ff;
const RECORD_BATCH = 3;
/** What describes a table has some kilobytes; more is not one of ours. */
const METADATA_BYTES_MAX = 16 * MIB;

export async function tableRows(path: string, format: 'parquet' | 'arrow'): Promise<number> {
  await using file = await open(path);
  try {
    return await (format === 'parquet' ? parquetRows(file) : arrowRows(file));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`${path} is not a whole ${format} table`, { cause: error });
  }
}

async function parquetRows(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const trailer = await bytesAt(file, size - PARQUET_TRAILER_BYTES, PARQUET_TRAILER_BYTES);
  if (trailer.toString('latin1', 4) !== PARQUET_END) throw new RangeError('no end of a file');
  const length = trailer.readUInt32LE(0);
  const footer = await bytesAt(file, size - PARQUET_TRAILER_BYTES - length, length);
  return new CompactStruct(footer).integer(NUM_ROWS_FIELD);
}

async function arrowRows(file: FileHandle): Promise<number> {
  let rows = 0;
  for (let at = 0; ; ) {
    const prefix = await bytesAt(file, at, 8);
    if (prefix.readUInt32LE(0) !== ARROW_CONTINUATION) throw new RangeError('no message');
    const length = prefix.readUInt32LE(4);
    if (length === 0) return rows;
    const message = new FlatTable(await bytesAt(file, at + 8, length));
    if (message.byte(1) === RECORD_BATCH) rows += message.table(2).long(0);
    at += 8 + length + Math.max(0, message.long(3));
  }
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (at < 0 || length > METADATA_BYTES_MAX) throw new RangeError('beyond the file');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new RangeError('beyond the file');
  return buffer;
}

/** A table of FlatBuffers: where its fields lie stands in front of it. */
class FlatTable {
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(bytes: Buffer, at = bytes.readUInt32LE(0)) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(field: number): number {
    const at = this.#field(field);
    return at === null ? 0 : this.#bytes.readUInt8(at);
  }

  long(field: number): number {
    const at = this.#field(field);
    return at === null ? 0 : Number(this.#bytes.readBigInt64LE(at));
  }

  table(field: number): FlatTable {
    const at = this.#field(field);
    if (at === null) throw new RangeError('no such table');
    return new FlatTable(this.#bytes, at + this.#bytes.readUInt32LE(at));
  }

  /** Null: it is left out, and has its default. */
  #field(field: number): number | null {
    const layout = this.#at - this.#bytes.readInt32LE(this.#at);
    const entry = 4 + 2 * field;
    if (entry >= this.#bytes.readUInt16LE(layout)) return null;
    const offset = this.#bytes.readUInt16LE(layout + entry);
    return offset === 0 ? null : this.#at + offset;
  }
}

/** A struct in Thrift's compact protocol, read from its start up to the field that is wanted. */
class CompactStruct {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  integer(wanted: number): number {
    for (let field = 0; ; ) {
      const header = this.#byte();
      if (header === 0) throw new RangeError('no such field');
      const step = header >> 4;
      field = step === 0 ? this.#zigzag() : field + step;
      if (field === wanted) return this.#zigzag();
      this.#skip(header & 15);
    }
  }

  #skip(type: number): void {
    // By the numbers of the protocol's types.
    if (type === 1 || type === 2) return;
    if (type === 3) this.#at += 1;
    else if (type >= 4 && type <= 6) this.#varint();
    else if (type === 7) this.#at += 8;
    else if (type === 8) this.#skipText();
    else if (type === 9 || type === 10) this.#skipList();
    else if (type === 12) this.#skipStruct();
    else throw new RangeError(`a field of type ${type}`);
  }

  #skipText(): void {
    const length = this.#varint();
    this.#at += length;
  }

  #skipList(): void {
    const header = this.#byte();
    const count = header >> 4 === 15 ? this.#varint() : header >> 4;
    for (let index = 0; index < count; index += 1) {
      // In a list a truth value takes a byte.
      if ((header & 15) <= 2) this.#at += 1;
      else this.#skip(header & 15);
      if (this.#at > this.#bytes.length) throw new RangeError('a list beyond the end');
    }
  }

  #skipStruct(): void {
    for (let header = this.#byte(); header !== 0; header = this.#byte()) {
      if (header >> 4 === 0) this.#varint();
      this.#skip(header & 15);
    }
  }

  #byte(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
