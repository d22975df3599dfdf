/**
 * Expands consecutive LZ4 frames, as `lz4` writes them, block by block: a block has at most 4 MiB, and memory holds one
 * block and the 64 KiB before it. Checksums are verified where a frame has them.
 */

import { KIB, MIB } from '@tapeloom/core/units';
import { expanded } from '../arrow/lz4-frame.ts';
import { XxHash32, xxHash32 } from '../arrow/xx-hash.ts';
import type { PackedBytes } from './packed-bytes.ts';

const MAGIC = 0x184d_2204;
/** Skippable frames, which have no content; the last hex digit is free. */
const SKIPPED_MAGIC = 0x184d_2a50;
const VERSION = 1;
const PLAIN_BLOCK = 0x8000_0000;
const HISTORY_BYTES = 64 * KIB;
const BLOCK_BYTES: ReadonlyMap<number, number> = new Map([
  [4, 64 * KIB],
  [5, 256 * KIB],
  [6, MIB],
  [7, 4 * MIB],
]);

/** A piece is valid until the next one is requested. */
export async function* expandLz4Frames(input: PackedBytes): AsyncGenerator<Uint8Array> {
  while ((await input.available(1)) > 0) {
    const magic = await word(input);
    if (magic >>> 4 === SKIPPED_MAGIC >>> 4) {
      let left = await word(input);
      for (; left > 0; left -= Math.min(left, HISTORY_BYTES)) {
        await input.take(Math.min(left, HISTORY_BYTES));
      }
    } else if (magic === MAGIC) yield* expandFrame(input);
    else throw input.damaged('a part of it is no LZ4 frame');
  }
}

async function* expandFrame(input: PackedBytes): AsyncGenerator<Uint8Array> {
  const { blockBytes, hasBlockSums, contentBytes, hasSum } = await readHead(input);
  const memory = new Uint8Array(HISTORY_BYTES + blockBytes);
  const sum = new XxHash32();
  let history = 0;
  let total = 0;
  for (;;) {
    const size = await word(input);
    if (size === 0) break;
    const length = size % PLAIN_BLOCK;
    if (length > blockBytes) throw input.damaged('a block is longer than its frame declares');
    const stored = await input.take(length + (hasBlockSums ? 4 : 0));
    const block = stored.subarray(0, length);
    if (hasBlockSums && wordAt(stored, length) !== xxHash32(block)) {
      throw input.damaged('a block does not fit its checksum');
    }
    let end = history + length;
    if (size >= PLAIN_BLOCK) memory.set(block, history);
    else end = expanded(block, memory.subarray(0, history + blockBytes), history);
    const content = memory.subarray(history, end);
    total += content.length;
    if (hasSum) sum.update(content);
    yield content;
    const kept = Math.min(end, HISTORY_BYTES);
    memory.copyWithin(0, end - kept, end);
    history = kept;
  }
  if (hasSum && (await word(input)) !== sum.digest()) {
    throw input.damaged('its content does not fit its checksum');
  }
  if (contentBytes !== null && contentBytes !== BigInt(total)) {
    throw input.damaged('it does not expand to its declared length');
  }
}

async function readHead(input: PackedBytes) {
  const [flags, sizes] = await input.next(2);
  const [hasBlockSums, hasSize, hasSum, hasDictionary] = [16, 8, 4, 1].map(
    (bit) => (flags! & bit) !== 0,
  );
  const blockBytes = BLOCK_BYTES.get((sizes! >> 4) & 7);
  if (flags! >> 6 !== VERSION || blockBytes === undefined) {
    throw input.damaged('the head of a frame is of an unknown version');
  }
  if (hasDictionary) throw input.damaged('it needs a dictionary that it does not have');
  const bytes = 2 + (hasSize ? 8 : 0);
  const head = await input.take(bytes + 1);
  if (((xxHash32(head.subarray(0, bytes)) >>> 8) & 0xff) !== head[bytes]) {
    throw input.damaged('the head of a frame does not fit its checksum');
  }
  const view = new DataView(head.buffer, head.byteOffset);
  const contentBytes = hasSize ? view.getBigUint64(2, true) : null;
  return { blockBytes, hasBlockSums, contentBytes, hasSum };
}

async function word(input: PackedBytes): Promise<number> {
  return wordAt(await input.take(4), 0);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0, true);
}
