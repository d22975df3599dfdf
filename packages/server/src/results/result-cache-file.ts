/**
 * The file of one cached result. All of it but the time of its last use is under a checksum, and it names
 * what it is a result of: a file that was torn, changed or put in another's place is never taken for a
 * result.
 *
 * Layout, little endian: magic (8 bytes) · last use in ms since 1970 (float64, may be written in place) ·
 * CRC-32 of all that follows (uint32) · CRC-32 of the header (uint32) · its length (uint32) · header (JSON)
 * · columns (a zstd frame) · lines (a zstd frame, as exports send it) · lines of the tail.
 */

import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import { freeMemory } from '../platform/free-memory.ts';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import type { ResultInputs } from './settled-inputs.ts';

/** Changes when anything about a file or its lines does that the name of the computation does not tell. */
const MAGIC = Buffer.from('TLOOMSR3', 'latin1');
const LAST_USED_AT = 8;
const CRC_AT = 16;
const HEADER_CRC_AT = 20;
const HEADER_LENGTH_AT = 24;
/** What has to be read to know the header's length and the last use. */
export const PREFIX_BYTES = 28;
/** Far beyond any header; what claims more is not one. */
const HEADER_BYTES_MAX = 256 * 1024;
const COLUMN_BYTES_PER_LINE = 8 + 4 + 4 + 4;

/** What a result is of. */
export interface ResultKey {
  readonly dataset: string;
  readonly contract: string;
  readonly day: UtcDay;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** The name of the indicator's computation (`computationOf`). */
  readonly fingerprint: string;
  /** Of a day in pieces: where the one before ended (`endOfPiece`); null for the first, or all. */
  readonly after: string | null;
}

/** A whole day's result as it is kept, or a piece of one. */
export interface KeptResult {
  /** Where the next piece begins; null when none follows. */
  readonly end: string | null;
  readonly trades: number;
  readonly isWarm: boolean;
  /** Without its bytes: they are in the frame, `linesBytes` of them. */
  readonly columns: Omit<SettledLines, 'bytes'>;
  readonly frame: Uint8Array | null;
  readonly linesBytes: number;
  readonly tail: Lines;
}

export interface ResultHeader extends ResultKey {
  readonly inputs: ResultInputs;
  readonly end: string | null;
  readonly trades: number;
  readonly isWarm: boolean;
  readonly lines: number;
  readonly linesBytes: number;
  readonly columnsBytes: number;
  readonly frameBytes: number;
  readonly tailLines: number;
  readonly tailBytes: number;
}

/** A file is not what was written. */
export class CacheDamagedError extends Error {}

export function encodeResult(
  key: ResultKey,
  inputs: ResultInputs,
  result: KeptResult,
  lastUsedMs: number,
): Buffer {
  const { end, trades, isWarm, columns, frame, linesBytes, tail } = result;
  const packed = packColumns(columns, tail.ends);
  const { dataset, contract, day, indicator, params, fingerprint, after } = key;
  const header = Buffer.from(
    JSON.stringify({
      dataset,
      contract,
      day,
      indicator,
      params,
      fingerprint,
      after,
      inputs,
      end,
      trades,
      isWarm,
      lines: columns.ends.length,
      linesBytes,
      columnsBytes: packed.length,
      frameBytes: frame?.length ?? 0,
      tailLines: tail.ends.length,
      tailBytes: tail.bytes.length,
    } satisfies ResultHeader),
  );
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const parts = [prefix, header, packed, frame ?? new Uint8Array(0), tail.bytes];
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(crc32(header), HEADER_CRC_AT);
  prefix.writeUInt32LE(header.length, HEADER_LENGTH_AT);
  const bytes = Buffer.concat(parts);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_CRC_AT)), CRC_AT);
  bytes.writeDoubleLE(lastUsedMs, LAST_USED_AT);
  return bytes;
}

/** Throws `CacheDamagedError` unless these are the bytes of a whole file. */
export function decodeResult(file: Uint8Array): {
  readonly header: ResultHeader;
  readonly result: KeptResult;
} {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const { headerBytes } = readPrefix(bytes);
  if (crc32(bytes.subarray(HEADER_CRC_AT)) !== bytes.readUInt32LE(CRC_AT)) {
    throw new CacheDamagedError('the checksum does not fit');
  }
  const header = readHeader(bytes);
  const { end, trades, isWarm, linesBytes, columnsBytes, frameBytes, tailBytes } = header;
  const columnsAt = PREFIX_BYTES + headerBytes;
  const frameAt = columnsAt + columnsBytes;
  const tailAt = frameAt + frameBytes;
  if (tailAt + tailBytes !== bytes.length) throw new CacheDamagedError('the lengths do not fit');
  const { columns, tailEnds } = unpackColumns(bytes.subarray(columnsAt, frameAt), header);
  return {
    header,
    result: {
      end,
      trades,
      isWarm,
      columns,
      frame: frameBytes === 0 ? null : bytes.subarray(frameAt, tailAt),
      linesBytes,
      tail: { bytes: new Uint8Array(bytes.subarray(tailAt)), ends: tailEnds },
    },
  };
}

/** From the first bytes of a file. */
export function readPrefix(file: Uint8Array): {
  readonly lastUsedMs: number;
  readonly headerBytes: number;
} {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (bytes.length < PREFIX_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CacheDamagedError('this is no result');
  }
  const headerBytes = bytes.readUInt32LE(HEADER_LENGTH_AT);
  if (headerBytes > HEADER_BYTES_MAX) throw new CacheDamagedError('the header is too long');
  return { lastUsedMs: bytes.readDoubleLE(LAST_USED_AT), headerBytes };
}

/** From the first bytes of a file, the header among them. */
export function readHeader(file: Uint8Array): ResultHeader {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const header = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + readPrefix(bytes).headerBytes);
  if (crc32(header) !== bytes.readUInt32LE(HEADER_CRC_AT)) {
    throw new CacheDamagedError('the checksum of the header does not fit');
  }
  return JSON.parse(new TextDecoder().decode(header)) as ResultHeader;
}

/** What to write over the time of the last use, and where. */
export function lastUse(ms: number): { readonly bytes: Uint8Array; readonly position: number } {
  const bytes = Buffer.alloc(CRC_AT - LAST_USED_AT);
  bytes.writeDoubleLE(ms);
  return { bytes, position: LAST_USED_AT };
}

/** Columns one after the other, the wide one first, so that all are aligned. */
function packColumns(
  { fromNs, ends, ranks, ks }: KeptResult['columns'],
  tailEnds: Uint32Array,
): Uint8Array {
  const bytes = Buffer.concat([fromNs, ends, ranks, ks, tailEnds].map(bytesOf));
  return bytes.length === 0 ? bytes : zstdCompressSync(bytes);
}

function unpackColumns(packed: Uint8Array, { lines, tailLines }: ResultHeader) {
  const byteLength = lines * COLUMN_BYTES_PER_LINE + tailLines * 4;
  const options = { chunkSize: byteLength + 64, maxOutputLength: Math.max(1, byteLength) };
  const bytes = packed.length === 0 ? packed : zstdDecompressSync(packed, options);
  if (bytes.length !== byteLength) throw new CacheDamagedError('the columns do not fit');
  const copy = (from: number, length: number) =>
    new Uint8Array(bytes.subarray(from, from + length)).buffer;
  const uint32s = (column: number, count = lines) =>
    new Uint32Array(copy(lines * (8 + 4 * column), count * 4));
  const fromNs = new Float64Array(copy(0, lines * 8));
  const columns = { fromNs, ends: uint32s(0), ranks: uint32s(1), ks: uint32s(2) };
  const tailEnds = uint32s(3, tailLines);
  if (bytes !== packed) freeMemory(bytes.buffer);
  return { columns, tailEnds };
}

function bytesOf(column: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
