/**
 * Expands one LZ4 frame, a compression that Node does not have. The frame must give exactly the announced bytes, and
 * its checksums must be right if present; nothing is read or written out of bounds.
 */

import { FeedError } from '../feed-trades.ts';
import { xxHash32 } from './xx-hash.ts';

const MAGIC = 0x184d_2204;
/** Magic, flags, block size and header checksum; optional fields come before the last. */
const HEAD_BYTES_MIN = 7;
const VERSION = 1;
const PLAIN_BLOCK = 0x8000_0000;
const MATCH_BYTES_MIN = 4;
/** A length of all ones continues in the following bytes. */
const LENGTH_MAX = 15;

export function expandLz4(bytes: Uint8Array, contentBytes: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const need = (at: number, count: number) => {
    if (at + count > bytes.length) throw damaged();
    return at;
  };
  need(0, HEAD_BYTES_MIN);
  const flags = bytes[4]!;
  if (view.getUint32(0, true) !== MAGIC || flags >> 6 !== VERSION) throw damaged();
  const [hasBlockSums, hasSize, hasSum, hasDictionary] = [16, 8, 4, 1].map((bit) => flags & bit);
  const headEnd = 6 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  need(headEnd, 1);
  if (((xxHash32(bytes.subarray(4, headEnd)) >>> 8) & 0xff) !== bytes[headEnd]) throw damaged();
  if (hasSize && view.getBigUint64(6, true) !== BigInt(contentBytes)) throw damaged();
  const content = new Uint8Array(contentBytes);
  let at = headEnd + 1;
  let filled = 0;
  for (;;) {
    const size = view.getUint32(need(at, 4), true);
    at += 4;
    if (size === 0) break;
    const length = size & ~PLAIN_BLOCK;
    const block = bytes.subarray(need(at, length), at + length);
    at += length;
    if (hasBlockSums) {
      if (view.getUint32(need(at, 4), true) !== xxHash32(block)) throw damaged();
      at += 4;
    }
    filled =
      size >= PLAIN_BLOCK ? copied(block, content, filled) : expanded(block, content, filled);
  }
  if (hasSum && view.getUint32(need(at, 4), true) !== xxHash32(content)) throw damaged();
  if (filled !== contentBytes || at + (hasSum ? 4 : 0) !== bytes.length) throw damaged();
  return content;
}

/** A block without a frame, as in Parquet. */
export function expandLz4Block(block: Uint8Array, contentBytes: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(contentBytes);
  if (expanded(block, content, 0) !== contentBytes) throw damaged();
  return content;
}

/** Blocks with their expanded and packed lengths, by older Parquet writers; some wrote one bare block. */
export function expandHadoopLz4(bytes: Uint8Array, contentBytes: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const content = new Uint8Array(contentBytes);
  let [at, filled] = [0, 0];
  while (at + 8 <= bytes.length) {
    const [whole, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    if (whole > contentBytes - filled || packed > bytes.length - at - 8) break;
    const end = expanded(bytes.subarray(at + 8, at + 8 + packed), content, filled);
    if (end !== filled + whole) throw damaged();
    filled = end;
    at += 8 + packed;
  }
  return at === bytes.length && filled === contentBytes
    ? content
    : expandLz4Block(bytes, contentBytes);
}

function copied(block: Uint8Array, into: Uint8Array, filled: number): number {
  if (block.length > into.length - filled) throw damaged();
  into.set(block, filled);
  return filled + block.length;
}

/**
 * Appends the content of a block and returns its end. A block is a sequence of literals and matches of earlier bytes;
 * the last pair has only literals.
 */
export function expanded(block: Uint8Array, into: Uint8Array, from: number): number {
  let at = 0;
  let to = from;
  while (at < block.length) {
    const token = block[at]!;
    at += 1;
    let plain = token >> 4;
    if (plain === LENGTH_MAX) {
      for (let more = 255; more === 255; at += 1) {
        if (at >= block.length) throw damaged();
        more = block[at]!;
        plain += more;
      }
    }
    if (plain > block.length - at || plain > into.length - to) throw damaged();
    for (const end = at + plain; at < end; at += 1, to += 1) into[to] = block[at]!;
    if (at === block.length) break;
    if (at + 2 > block.length) throw damaged();
    const back = block[at]! | (block[at + 1]! << 8);
    at += 2;
    let again = (token & LENGTH_MAX) + MATCH_BYTES_MIN;
    if ((token & LENGTH_MAX) === LENGTH_MAX) {
      for (let more = 255; more === 255; at += 1) {
        if (at >= block.length) throw damaged();
        more = block[at]!;
        again += more;
      }
    }
    if (back === 0 || back > to || again > into.length - to) throw damaged();
    // Byte by byte, since a match may overlap its own output.
    for (const end = to + again; to < end; to += 1) into[to] = into[to - back]!;
  }
  return to;
}

function damaged(): FeedError {
  return new FeedError(
    'The file is damaged: a part that is packed with LZ4 does not have its declared length.',
  );
}
