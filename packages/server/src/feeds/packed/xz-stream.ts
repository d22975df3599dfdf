/**
 * Expands consecutive streams of xz, chunk by chunk. Headers, index and content must match their checksums. Only the
 * LZMA2 filter is read: the others are for programs. A dictionary may have 128 MiB, twice that of `xz -9`.
 */

import { crc32 } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { LzmaDecoder } from './lzma-decoder.ts';
import type { PackedBytes } from './packed-bytes.ts';
import { type XzCheck, xzCheck } from './xz-checks.ts';

const HEAD = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const HEAD_BYTES = 12;
const FOOT_BYTES = 12;
const FOOT_MARK = [0x59, 0x5a];
const LZMA2 = 0x21;
const DICTIONARY_BYTES_MAX = 128 * MIB;
const NUMBER_BYTES_MAX = 9;
/** Files with several blocks have blocks of 24 MiB or more. */
const BLOCKS_MAX = 1_000_000;

/** A piece is valid until the next one is requested. */
export async function* expandXz(input: PackedBytes): AsyncGenerator<Uint8Array> {
  do {
    yield* expandStream(input);
    await passPadding(input);
  } while ((await input.available(1)) > 0);
}

async function* expandStream(input: PackedBytes): AsyncGenerator<Uint8Array> {
  const head = await input.take(HEAD_BYTES);
  if (!HEAD.every((byte, at) => head[at] === byte)) {
    throw input.damaged('it goes on with what is no xz');
  }
  if (wordAt(head, 8) !== crc32(head.subarray(6, 8))) throw sumFault(input);
  const kind = head[7]!;
  if (head[6] !== 0 || xzCheck(kind) === null) {
    throw input.damaged('it has a checksum of an unknown kind');
  }
  const blocks: number[] = [];
  for (;;) {
    const [size] = await input.next(1);
    if (size === 0) break;
    if (blocks.length >= 2 * BLOCKS_MAX) throw input.damaged('it has too many blocks');
    yield* expandBlock(input, (size! + 1) * 4, xzCheck(kind)!, blocks);
  }
  const indexBytes = await passIndex(input, blocks);
  const foot = await input.take(FOOT_BYTES);
  const isFoot =
    wordAt(foot, 0) === crc32(foot.subarray(4, 10)) &&
    (wordAt(foot, 4) + 1) * 4 === indexBytes &&
    foot[8] === 0 &&
    foot[9] === kind &&
    FOOT_MARK.every((byte, at) => foot[10 + at] === byte);
  if (!isFoot) throw input.damaged('what stands at its end does not fit');
}

/** Adds the sizes that the index must contain to `blocks`. */
async function* expandBlock(
  input: PackedBytes,
  headBytes: number,
  check: XzCheck,
  blocks: number[],
): AsyncGenerator<Uint8Array> {
  const from = input.passed;
  const said = readBlockHead(input, await input.take(headBytes));
  const dataFrom = input.passed;
  let total = 0;
  for await (const content of expandChunks(input, said.dictionaryBytes)) {
    total += content.length;
    check.update(content);
    yield content;
  }
  const packed = input.passed - dataFrom;
  if ((said.packed ?? packed) !== packed || (said.total ?? total) !== total) {
    throw input.damaged('a block does not have its declared length');
  }
  const padding = await input.take((4 - (packed % 4)) % 4);
  if (padding.some((byte) => byte !== 0)) throw input.damaged('a block goes on behind its end');
  const unpadded = headBytes + packed + check.bytes;
  const sum = await input.take(check.bytes);
  if (Buffer.compare(sum, check.digest()) !== 0) throw sumFault(input);
  blocks.push(unpadded, total);
  if (input.passed - from !== Math.ceil(unpadded / 4) * 4) throw sumFault(input);
}

function readBlockHead(input: PackedBytes, head: Uint8Array) {
  const end = head.length - 4;
  if (wordAt(head, end) !== crc32(head.subarray(0, end))) throw sumFault(input);
  const flags = head[1]!;
  let at = 2;
  const number = () => {
    const read = numberAt(head.subarray(0, end), at);
    if (read === null) throw input.damaged('the head of a block is cut');
    at = read.end;
    return read.value;
  };
  const packed = (flags & 0x40) === 0 ? null : number();
  const total = (flags & 0x80) === 0 ? null : number();
  const isOneFilter = (flags & 0x3f) === 0;
  if (!isOneFilter || number() !== LZMA2 || number() !== 1) {
    throw input.damaged('it is packed with a filter that is not read: only LZMA2 is');
  }
  const size = head[at]!;
  const dictionaryBytes = size === 40 ? 2 ** 32 - 1 : (2 | (size & 1)) * 2 ** ((size >> 1) + 11);
  if (size > 40 || dictionaryBytes > DICTIONARY_BYTES_MAX) {
    throw input.damaged(
      `it needs a dictionary of more than ${DICTIONARY_BYTES_MAX / MIB} MiB: unpack it first`,
    );
  }
  return { packed, total, dictionaryBytes };
}

async function* expandChunks(
  input: PackedBytes,
  dictionaryBytes: number,
): AsyncGenerator<Uint8Array> {
  const decoder = new LzmaDecoder(dictionaryBytes);
  let isFresh = true;
  for (;;) {
    const [control] = await input.take(1);
    if (control === 0) return;
    const isPlain = control! < 0x80;
    const mustForget = control === 1 || control! >= 0xe0;
    if ((isPlain && control! > 2) || (isFresh && !mustForget)) {
      throw input.damaged('a chunk is of an unknown kind');
    }
    if (mustForget) decoder.forget();
    isFresh = false;
    if (isPlain) {
      const [high, low] = await input.take(2);
      yield decoder.copy(await input.take(((high! << 8) | low!) + 1));
      continue;
    }
    const head = await input.take(4);
    const length = (((control! & 0x1f) << 16) | (head[0]! << 8) | head[1]!) + 1;
    const packed = ((head[2]! << 8) | head[3]!) + 1;
    if (control! >= 0xc0) {
      const [properties] = await input.take(1);
      if (!decoder.setProperties(properties!))
        throw input.damaged('a chunk has no such properties');
    } else if (control! >= 0xa0) decoder.reset();
    const content = decoder.expand(await input.take(packed), length);
    if (content === null) throw input.damaged('a chunk cannot be expanded');
    yield content;
  }
}

/** Checks the sizes of all blocks against the index; returns the index's length in bytes. */
async function passIndex(input: PackedBytes, blocks: readonly number[]): Promise<number> {
  const from = input.passed;
  let sum = crc32(await input.take(1));
  const number = async () => {
    const there = await input.next(await input.available(NUMBER_BYTES_MAX));
    const read = numberAt(there, 0);
    if (read === null) throw input.damaged('its index is cut');
    sum = crc32(there.subarray(0, read.end), sum);
    input.pass(read.end);
    return read.value;
  };
  let isSame = (await number()) * 2 === blocks.length;
  for (let at = 0; at < blocks.length && isSame; at += 1) isSame = (await number()) === blocks[at];
  if (!isSame) throw input.damaged('its index names other blocks than it has');
  const padding = await input.take((4 - ((input.passed - from) % 4)) % 4);
  if (padding.some((byte) => byte !== 0)) throw input.damaged('its index goes on behind its end');
  sum = crc32(padding, sum);
  if (wordAt(await input.take(4), 0) !== sum) throw sumFault(input);
  return input.passed - from;
}

/** After a stream there may be zeros, in multiples of four. */
async function passPadding(input: PackedBytes): Promise<void> {
  while ((await input.available(4)) > 0) {
    const bytes = await input.next(Math.min(4, await input.available(4)));
    if (bytes[0] !== 0) return;
    if (bytes.length < 4 || bytes.some((byte) => byte !== 0)) {
      throw input.damaged('it goes on behind its end');
    }
    input.pass(4);
  }
}

/** Seven bits per byte, lowest first; null if truncated, or longer than allowed. */
function numberAt(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let index = 0; index < NUMBER_BYTES_MAX; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) return null;
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, end: from + index + 1 };
  }
  return null;
}

function wordAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0, true);
}

function sumFault(input: PackedBytes) {
  return input.damaged('a part of it does not fit its checksum');
}
