/**
 * Expands consecutive streams of bzip2, block by block. A block has at most 900,000 bytes before run expansion; its
 * input is held at once, its output is returned in pieces.
 */

import { Bzip2Bits, CutBlock, readBlock } from './bzip2-block.ts';
import type { PackedBytes } from './packed-bytes.ts';

const BLOCK_MAGIC = [0x31_4159, 0x26_5359];
const END_MAGIC = [0x17_7245, 0x38_5090];
const LEVEL_BYTES = 100_000;
/** More than an intact block can need. */
const BLOCK_PACKED_MAX = 1_200_000;
const MORE_BYTES = 262_144;
const PIECE_BYTES = 262_144;
/** After four equal bytes comes the number of further ones. */
const RUN_BYTES = 4;

const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc;
});

/** A piece is valid until the next one is requested. */
export async function* expandBzip2(input: PackedBytes): AsyncGenerator<Uint8Array> {
  while ((await input.available(1)) > 0) {
    const head = await input.take(4);
    const level = head[3]! - 0x30;
    if (head[0] !== 0x42 || head[1] !== 0x5a || head[2] !== 0x68 || level < 1 || level > 9) {
      throw input.damaged('it goes on with what is no bzip2');
    }
    yield* expandStream(input, level * LEVEL_BYTES);
  }
}

async function* expandStream(input: PackedBytes, blockMax: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  const work = new Uint32Array(blockMax);
  let bit = 0;
  let combined = 0;
  for (;;) {
    const { block, end } = await nextBlock(input, bit, work);
    input.pass(end >> 3);
    bit = end & 7;
    if (block === null) break;
    const sum = yield* expandRuns(work, block, piece);
    if (sum !== block.crc) throw input.damaged('a block does not fit its checksum');
    combined = ((combined << 1) | (combined >>> 31)) ^ sum;
  }
  const tail = await input.next(bit === 0 ? 4 : 5);
  const bits = new Bzip2Bits(tail, bit);
  const sum = (bits.read(16) << 16) | bits.read(16);
  if (sum !== combined) throw input.damaged('it does not fit its checksum');
  // The next stream starts at a byte boundary.
  input.pass(tail.length);
}

/** Tries with the buffered bytes, and with more if the block continues after them. */
async function nextBlock(input: PackedBytes, bit: number, work: Uint32Array) {
  for (let asked = MORE_BYTES; ; asked += MORE_BYTES) {
    const available = await input.available(asked);
    try {
      const bits = new Bzip2Bits(input.there(), bit);
      const magic = [bits.read(24), bits.read(24)];
      if (magic.every((part, at) => part === END_MAGIC[at])) return { block: null, end: bits.at };
      if (!magic.every((part, at) => part === BLOCK_MAGIC[at])) {
        throw input.damaged('a block does not begin as one');
      }
      const block = readBlock(bits, work);
      if (block === null) throw input.damaged('a block cannot be expanded');
      return { block, end: bits.at };
    } catch (error) {
      if (!(error instanceof CutBlock)) throw error;
      if (available < asked) await input.next(available + 1);
      if (asked > BLOCK_PACKED_MAX) throw input.damaged('a block is too long');
    }
  }
}

/** Yields the bytes of a block with its runs expanded; returns their checksum. */
function* expandRuns(
  work: Uint32Array,
  { start, count }: { readonly start: number; readonly count: number },
  piece: Uint8Array,
): Generator<Uint8Array, number> {
  let crc = -1;
  let filled = 0;
  let next = start;
  let last = -1;
  let equal = 0;
  for (let index = 0; index < count; index += 1) {
    const entry = work[next]!;
    const byte = entry & 0xff;
    next = entry >>> 8;
    let repeat = 1;
    let value = byte;
    if (equal === RUN_BYTES) {
      repeat = byte;
      value = last;
      equal = 0;
    } else {
      equal = byte === last ? equal + 1 : 1;
      last = byte;
    }
    for (; repeat > 0; repeat -= 1) {
      if (filled === piece.length) {
        yield piece;
        filled = 0;
      }
      crc = (crc << 8) ^ CRC[(crc >>> 24) ^ value]!;
      piece[filled] = value;
      filled += 1;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
  return ~crc;
}
