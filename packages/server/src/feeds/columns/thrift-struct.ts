/**
 * Reads a structure of Thrift's compact protocol, which describes Parquet files and pages. Every length is checked
 * against the remaining bytes and the depth is bounded, so the work is bounded by the number of bytes.
 */

const DEPTH_MAX = 32;
/** 64 bits, seven in each byte. */
const VARINT_BYTES_MAX = 10;
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
const STRUCT = 12;

/** Integers and structures by field number; other fields are checked and skipped. */
export interface ThriftStruct {
  /** True is 1, false 0. */
  readonly numbers: ReadonlyMap<number, number>;
  readonly structs: ReadonlyMap<number, ThriftStruct>;
  readonly end: number;
}

/** Throws if the bytes are no such structure. */
export function readThriftStruct(bytes: Uint8Array, at: number): ThriftStruct {
  return new Walk(bytes, at).struct(0);
}

class Walk {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  struct(depth: number): ThriftStruct {
    if (depth > DEPTH_MAX) throw damaged();
    const numbers = new Map<number, number>();
    const structs = new Map<number, ThriftStruct>();
    let field = 0;
    for (;;) {
      const head = this.#byte();
      const kind = head & 15;
      if (kind === STOP) return { numbers, structs, end: this.#at };
      field = head >> 4 === 0 ? this.#number() : field + (head >> 4);
      if (kind === STRUCT) structs.set(field, this.struct(depth + 1));
      else if (kind === I16 || kind === I32 || kind === I64) numbers.set(field, this.#number());
      // The type of a boolean field is its value.
      else if (kind === TRUE || kind === FALSE) numbers.set(field, kind === TRUE ? 1 : 0);
      else this.#skip(kind, depth);
    }
  }

  #skip(kind: number, depth: number): void {
    if (kind === TRUE || kind === FALSE || kind === BYTE) this.#pass(1);
    else if (kind === I16 || kind === I32 || kind === I64) this.#varint();
    else if (kind === DOUBLE) this.#pass(8);
    else if (kind === BINARY) this.#pass(Number(this.#varint()));
    else if (kind === STRUCT) this.struct(depth + 1);
    else if (kind === LIST || kind === SET) this.#skipList(depth + 1);
    else throw damaged();
  }

  #skipList(depth: number): void {
    if (depth > DEPTH_MAX) throw damaged();
    const head = this.#byte();
    const count = head >> 4 === 15 ? Number(this.#varint()) : head >> 4;
    // Each item has at least one byte.
    if (count > this.#bytes.length - this.#at) throw damaged();
    for (let index = 0; index < count; index += 1) this.#skip(head & 15, depth);
  }

  #number(): number {
    const coded = this.#varint();
    const value = Number((coded >> 1n) ^ -(coded & 1n));
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }

  #varint(): bigint {
    let value = 0n;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << BigInt(index * 7);
      if (byte < 128) return value;
    }
    throw damaged();
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw damaged();
    const byte = this.#view.getUint8(this.#at);
    this.#at += 1;
    return byte;
  }

  #pass(count: number): void {
    if (count > this.#bytes.length - this.#at) throw damaged();
    this.#at += count;
  }
}

function damaged(): Error {
  return new Error('a description is cut or damaged');
}
