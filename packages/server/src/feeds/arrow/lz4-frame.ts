/**
 * Expands one frame of LZ4, the packing of buffers that Node does not have. The frame must give exactly the bytes that were
 * announced, and its checksums must be right where it has them; nothing is read or written beyond what is there.
 */

import { FeedError } from '../feed-trades.ts';
import { xxHash32 } from './xx-hash.ts';

const MAGIC = 0x184d_2204;
/** Magic, flags, block size and the checksum of the head; what is optional stands before the last. */
const HEAD_BYTES_MIN = 7;
const VERSION = 1;
const PLAIN_BLOCK = 0x8000_0000;
const MATCH_BYTES_MIN = 4;
/** A length of all ones goes on in the bytes that follow. */
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

/** A block without a frame, as Parquet has it. */
export function expandLz4Block(block: Uint8Array, contentBytes: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(contentBytes);
  if (expanded(block, content, 0) !== contentBytes) throw damaged();
  return content;
}

/** Blocks that each say their length expanded and packed, as older writers of Parquet have them; some wrote one bare block. */
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
 * Writes what a block has behind what is there, and says where that ends. A block is pairs of bytes as they are and of bytes that
 * were there before; the last one has only the first half.
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
    // Byte by byte, since what is repeated may be what this very copy writes.
    for (const end = to + again; to < end; to += 1) into[to] = into[to - back]!;
  }
  return to;
}

function damaged(): FeedError {
  return new FeedError(
    'The file is damaged: a part that is packed with LZ4 is not of the length it says.',
  );
}
