/**
 * The frame of a log record. A log is a chain: every record carries its sequence number and the checksum of the record
 * before it, and its own checksum covers both. So a record that is missing, doubled, moved or changed breaks the chain.
 * Records start at multiples of 8 bytes, so their columns can be viewed in place.
 */

//   marker u32 · kind u32 · sequence u32 · payload bytes u32 · empty sectors u32 · previous header's
//   checksum u32 · payload's checksum u32 · this header's checksum u32 · payload, padded to 8
//
// "Empty sectors" counts the payload's pieces (cut at the file's 512-byte sectors) that are all zeros. It distinguishes
// a torn write, which leaves sectors of zeros, from damage, which does not.

import { crc32 } from 'node:zlib';
import { KIB, MIB } from '@tapeloom/core/units';

export const RECORD_HEADER_BYTES = 32;
/** More than the largest commit or opening needs; a longer record is not one of this program's. */
export const PAYLOAD_BYTES_MAX = 16 * MIB;
const SECTOR_BYTES = 512;
const MARKER = 0x4b4f4f4c;
const CHECKED_HEADER_BYTES = 28;

export const RECORD_KINDS = { opening: 1, commit: 2, end: 3, closed: 4 } as const;
export type RecordKind = keyof typeof RECORD_KINDS;
const KIND_NAMES: readonly (RecordKind | undefined)[] = [
  undefined,
  'opening',
  'commit',
  'end',
  'closed',
];

export interface RecordHeader {
  readonly kind: RecordKind;
  readonly sequence: number;
  readonly payloadBytes: number;
  readonly emptySectors: number;
  readonly previous: number;
  readonly payloadChecksum: number;
  readonly checksum: number;
}

/** One record being written. The bytes are reused from record to record. */
export class RecordWriter {
  #bytes = new Uint8Array(64 * KIB);
  #view = new DataView(this.#bytes.buffer);
  #length = RECORD_HEADER_BYTES;

  /** The whole record, after `finish`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts a record whose payload will have at most this many bytes. */
  start(payloadBytesMax: number): void {
    const needed = RECORD_HEADER_BYTES + align8(payloadBytesMax);
    if (needed > RECORD_HEADER_BYTES + PAYLOAD_BYTES_MAX) {
      throw new RangeError(`a record of ${payloadBytesMax} bytes is too long`);
    }
    if (needed > this.#bytes.length) {
      this.#bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#length = RECORD_HEADER_BYTES;
  }

  uint32(value: number): void {
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  float64(value: number): void {
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  int64(value: bigint): void {
    this.#view.setBigInt64(this.#length, value, true);
    this.#length += 8;
  }

  /** The first `count` elements of a column, in their memory layout. */
  column(
    values: Float64Array | Int32Array | Int8Array | Uint8Array | Uint32Array,
    count: number,
  ): void {
    const bytes = count * values.BYTES_PER_ELEMENT;
    const source = new Uint8Array(values.buffer, values.byteOffset, bytes);
    this.#bytes.set(source, this.#length);
    this.#length += bytes;
  }

  /** Length, then the text in UTF-8, padded to 8. */
  text(value: string): void {
    const { written } = new TextEncoder().encodeInto(value, this.#bytes.subarray(this.#length + 8));
    this.uint32(written);
    this.uint32(0);
    this.#length += written;
    this.pad();
  }

  pad(): void {
    const end = align8(this.#length);
    this.#bytes.fill(0, this.#length, end);
    this.#length = end;
  }

  /** Writes the header of a record that goes to `position`; returns the header's checksum. */
  finish(kind: RecordKind, sequence: number, previous: number, position: number): number {
    this.pad();
    const payload = this.#bytes.subarray(RECORD_HEADER_BYTES, this.#length);
    const view = this.#view;
    view.setUint32(0, MARKER, true);
    view.setUint32(4, RECORD_KINDS[kind], true);
    view.setUint32(8, sequence, true);
    view.setUint32(12, payload.length, true);
    view.setUint32(16, countEmptySectors(payload, position + RECORD_HEADER_BYTES), true);
    view.setUint32(20, previous, true);
    view.setUint32(24, crc32(payload), true);
    const checksum = crc32(this.#bytes.subarray(0, CHECKED_HEADER_BYTES));
    view.setUint32(28, checksum, true);
    return checksum;
  }
}

/** The header at this offset, or null when it is incomplete or damaged. */
export function readRecordHeader(bytes: Uint8Array, offset: number): RecordHeader | null {
  if (offset + RECORD_HEADER_BYTES > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, RECORD_HEADER_BYTES);
  if (view.getUint32(0, true) !== MARKER) return null;
  const checksum = view.getUint32(28, true);
  if (crc32(bytes.subarray(offset, offset + CHECKED_HEADER_BYTES)) !== checksum) return null;
  const kind = KIND_NAMES[view.getUint32(4, true)];
  const payloadBytes = view.getUint32(12, true);
  if (kind === undefined || payloadBytes > PAYLOAD_BYTES_MAX) return null;
  return {
    kind,
    sequence: view.getUint32(8, true),
    payloadBytes,
    emptySectors: view.getUint32(16, true),
    previous: view.getUint32(20, true),
    payloadChecksum: view.getUint32(24, true),
    checksum,
  };
}

/** How many pieces of these bytes, cut at the file's sector boundaries, hold only zeros. */
export function countEmptySectors(bytes: Uint8Array, position: number): number {
  let empty = 0;
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(sectorEnd(position + from) - position, bytes.length);
    if (isEmpty(bytes, from, to)) empty += 1;
    from = to;
  }
  return empty;
}

/** The end of the sector that this position of a file lies in. */
export function sectorEnd(position: number): number {
  return (Math.floor(position / SECTOR_BYTES) + 1) * SECTOR_BYTES;
}

export function isEmpty(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}

function align8(length: number): number {
  return Math.ceil(length / 8) * 8;
}
