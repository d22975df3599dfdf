/**
 * The file of one day's results. A checksum covers everything except the time of the last use, and the header names the
 * result's key and inputs. So a torn, changed or misplaced file is never taken for a result.
 */

import { crc32 } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import { Block } from '../blocks/block.ts';
import type { ResultInputs } from '../runs/settled-inputs.ts';
import type { WholeDay } from './day-log.ts';
import { type BlockFacts, LoggedBlock } from './logged-block.ts';

/**
 * Layout, little endian: magic (8 bytes) · last use in ms since 1970 (float64, may be written in place) · CRC-32 of
 * everything after it (uint32) · CRC-32 of the header (uint32) · header length (uint32) · header (JSON) · columns of
 * all blocks (a zstd frame each) · text of all blocks (a zstd frame each, consecutive as exports send them) · the
 * tail's block as in memory.
 * The magic changes with any change to the file or its lines that the name of the computation does not cover.
 */
const MAGIC = Buffer.from('TLOOMSR4', 'latin1');
const LAST_USED_AT = 8;
const CRC_AT = 16;
const HEADER_CRC_AT = 20;
const HEADER_LENGTH_AT = 24;
/** The bytes needed for the header's length and the last use. */
export const PREFIX_BYTES = 28;
/** Far above any real header; a larger value is damage. */
const HEADER_BYTES_MAX = 256 * 1024;

export interface ResultKey {
  readonly dataset: string;
  readonly contract: string;
  readonly day: UtcDay;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** The name of the indicator's computation (`computationOf`). */
  readonly fingerprint: string;
}

export interface ResultHeader extends ResultKey {
  readonly inputs: ResultInputs;
  readonly trades: number;
  readonly isWarm: boolean;
  readonly blocks: readonly HeaderBlock[];
  readonly tailUpdates: number;
  readonly tailBytes: number;
}

interface HeaderBlock extends BlockFacts {
  readonly columnsBytes: number;
  readonly frameBytes: number;
}

/** The file differs from what was written. */
export class CacheDamagedError extends Error {}

export async function encodeResult(
  key: ResultKey,
  inputs: ResultInputs,
  { trades, isWarm, blocks, tail }: WholeDay,
  lastUsedMs: number,
): Promise<Buffer> {
  const { dataset, contract, day, indicator, params, fingerprint } = key;
  const packed = await Array.fromAsync(blocks, (block) => block.pack());
  const about = blocks.map(({ count, textBytes, firstNs, lastNs }, at) => ({
    count,
    textBytes,
    firstNs,
    lastNs,
    columnsBytes: packed[at]!.columns.length,
    frameBytes: packed[at]!.frame.length,
  }));
  const own = { dataset, contract, day, indicator, params, fingerprint };
  const tailSize = { tailUpdates: tail.count, tailBytes: tail.memory.byteLength };
  const whole: ResultHeader = { ...own, inputs, trades, isWarm, blocks: about, ...tailSize };
  const header = Buffer.from(JSON.stringify(whole));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(crc32(header), HEADER_CRC_AT);
  prefix.writeUInt32LE(header.length, HEADER_LENGTH_AT);
  const bytes = Buffer.concat([
    prefix,
    header,
    ...packed.map(({ columns }) => columns),
    ...packed.map(({ frame }) => frame),
    new Uint8Array(tail.memory),
  ]);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_CRC_AT)), CRC_AT);
  bytes.writeDoubleLE(lastUsedMs, LAST_USED_AT);
  return bytes;
}

/** Decodes a whole file, whose bytes then belong to the result; throws a `CacheDamagedError`. */
export function decodeResult(file: Uint8Array): {
  readonly header: ResultHeader;
  readonly result: WholeDay;
} {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const { headerBytes } = readPrefix(bytes);
  if (crc32(bytes.subarray(HEADER_CRC_AT)) !== bytes.readUInt32LE(CRC_AT)) {
    throw new CacheDamagedError('the checksum does not fit');
  }
  const header = readHeader(bytes);
  const { day, trades, isWarm, tailUpdates, tailBytes } = header;
  let columnsAt = PREFIX_BYTES + headerBytes;
  let frameAt = header.blocks.reduce((sum, { columnsBytes }) => sum + columnsBytes, columnsAt);
  const blocks = header.blocks.map(({ columnsBytes, frameBytes, ...facts }) => {
    const columns = bytes.subarray(columnsAt, columnsAt + columnsBytes);
    const frame = bytes.subarray(frameAt, frameAt + frameBytes);
    columnsAt += columnsBytes;
    frameAt += frameBytes;
    return LoggedBlock.packed(day, facts, { columns, frame });
  });
  if (frameAt + tailBytes !== bytes.length) throw new CacheDamagedError('the lengths do not fit');
  const memory = new Uint8Array(bytes.subarray(frameAt)).buffer;
  const tail = new Block({ day, count: tailUpdates, memory });
  return { header, result: { trades, isWarm, blocks, tail } };
}

/** Decodes the start of a file. */
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

/** Decodes the start of a file, which must include the header. */
export function readHeader(file: Uint8Array): ResultHeader {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const header = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + readPrefix(bytes).headerBytes);
  if (crc32(header) !== bytes.readUInt32LE(HEADER_CRC_AT)) {
    throw new CacheDamagedError('the checksum of the header does not fit');
  }
  return JSON.parse(new TextDecoder().decode(header)) as ResultHeader;
}

/** The bytes of a new time of last use, and their position in the file. */
export function lastUse(ms: number): { readonly bytes: Uint8Array; readonly position: number } {
  const bytes = Buffer.alloc(CRC_AT - LAST_USED_AT);
  bytes.writeDoubleLE(ms);
  return { bytes, position: LAST_USED_AT };
}
