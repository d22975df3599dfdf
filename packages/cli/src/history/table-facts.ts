/**
 * Reads the row count and the contract of a table that the service wrote, from its metadata: a Parquet file's footer,
 * or an Arrow stream's head and batch headers. Reads none of the data.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '@tapeloom/core/units';

const PARQUET_END = 'PAR1';
const PARQUET_TRAILER_BYTES = 8;
/** `FileMetaData.num_rows`. */
const NUM_ROWS_FIELD = 3;
/** `FileMetaData.key_value_metadata`. */
const PARQUET_FACTS_FIELD = 5;
const ARROW_CONTINUATION = 0xff_ff_ff_ff;
const SCHEMA = 1;
const RECORD_BATCH = 3;
/** `Schema.custom_metadata`. */
const ARROW_FACTS_FIELD = 2;
/** A table's metadata takes some kilobytes; more is not a table of ours. */
const METADATA_BYTES_MAX = 16 * MIB;

export interface TableFacts {
  readonly rows: number;
  readonly contract: string | null;
}

export async function tableFacts(path: string, format: 'parquet' | 'arrow'): Promise<TableFacts> {
  await using file = await open(path);
  try {
    return await (format === 'parquet' ? parquetFacts(file) : arrowFacts(file));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`${path} is not a whole ${format} table`, { cause: error });
  }
}

async function parquetFacts(file: FileHandle): Promise<TableFacts> {
  const { size } = await file.stat();
  const trailer = await bytesAt(file, size - PARQUET_TRAILER_BYTES, PARQUET_TRAILER_BYTES);
  if (trailer.toString('latin1', 4) !== PARQUET_END) throw new RangeError('no end of a file');
  const length = trailer.readUInt32LE(0);
  const footer = await bytesAt(file, size - PARQUET_TRAILER_BYTES - length, length);
  const facts = new CompactStruct(footer).texts(PARQUET_FACTS_FIELD);
  const rows = new CompactStruct(footer).integer(NUM_ROWS_FIELD);
  return { rows, contract: facts.get('contract') ?? null };
}

async function arrowFacts(file: FileHandle): Promise<TableFacts> {
  let rows = 0;
  let contract: string | null = null;
  for (let at = 0; ; ) {
    const prefix = await bytesAt(file, at, 8);
    if (prefix.readUInt32LE(0) !== ARROW_CONTINUATION) throw new RangeError('no message');
    const length = prefix.readUInt32LE(4);
    if (length === 0) return { rows, contract };
    const message = new FlatTable(await bytesAt(file, at + 8, length));
    if (message.byte(1) === RECORD_BATCH) rows += message.table(2).long(0);
    if (message.byte(1) === SCHEMA) {
      const facts = message.table(2).tables(ARROW_FACTS_FIELD);
      contract = facts.find((fact) => fact.text(0) === 'contract')?.text(1) ?? null;
    }
    at += 8 + length + Math.max(0, message.long(3));
  }
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (at < 0 || length > METADATA_BYTES_MAX) throw new RangeError('beyond the file');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new RangeError('beyond the file');
  return buffer;
}

/** A FlatBuffers table: its layout of field offsets is stored beside it. */
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

  text(field: number): string {
    const at = this.#field(field);
    if (at === null) return '';
    const start = at + this.#bytes.readUInt32LE(at);
    return this.#bytes.toString('utf8', start + 4, start + 4 + this.#bytes.readUInt32LE(start));
  }

  /** A list of tables; empty if the field is absent. */
  tables(field: number): readonly FlatTable[] {
    const at = this.#field(field);
    if (at === null) return [];
    const start = at + this.#bytes.readUInt32LE(at);
    const count = Math.min(this.#bytes.readUInt32LE(start), this.#bytes.length / 4);
    return Array.from({ length: count }, (_, index) => {
      const entry = start + 4 + 4 * index;
      return new FlatTable(this.#bytes, entry + this.#bytes.readUInt32LE(entry));
    });
  }

  /** Null: the field is absent and has its default. */
  #field(field: number): number | null {
    const layout = this.#at - this.#bytes.readInt32LE(this.#at);
    const entry = 4 + 2 * field;
    if (entry >= this.#bytes.readUInt16LE(layout)) return null;
    const offset = this.#bytes.readUInt16LE(layout + entry);
    return offset === 0 ? null : this.#at + offset;
  }
}

/** A struct in Thrift's compact protocol, read sequentially up to the wanted field. */
class CompactStruct {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  integer(wanted: number): number {
    if (!this.#isAt(wanted)) throw new RangeError('no such field');
    return this.#zigzag();
  }

  /** A list of key-value structs as a map; empty if the field is absent. */
  texts(wanted: number): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    if (!this.#isAt(wanted)) return texts;
    const header = this.#byte();
    const count = header >> 4 === 15 ? this.#varint() : header >> 4;
    for (let index = 0; index < count; index += 1) {
      const pair = ['', ''];
      let field = 0;
      for (let begin = this.#byte(); begin !== 0; begin = this.#byte()) {
        field = begin >> 4 === 0 ? this.#zigzag() : field + (begin >> 4);
        if (field <= 2 && (begin & 15) === 8) pair[field - 1] = this.#text();
        else this.#skip(begin & 15);
      }
      texts.set(pair[0]!, pair[1]!);
    }
    return texts;
  }

  /** Advances to a field of this struct; false: the field is absent. */
  #isAt(wanted: number): boolean {
    for (let field = 0; ; ) {
      const header = this.#byte();
      if (header === 0) return false;
      const step = header >> 4;
      field = step === 0 ? this.#zigzag() : field + step;
      if (field === wanted) return true;
      this.#skip(header & 15);
    }
  }

  #text(): string {
    const length = this.#varint();
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  #skip(type: number): void {
    // By the protocol's type numbers.
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
      // In a list, a boolean takes one byte.
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
