/**
 * zstd for the buffers of Arrow messages. apache-arrow uses one codec per thread, registered only here. It writes a
 * wrong length before a compressed buffer (apache/arrow-js#470), which other libraries reject. So writers of messages
 * correct it with the lengths that the codec recorded.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry, Message } from 'apache-arrow';

const LENGTH_PREFIX_BYTES = 8;
/** A message starts with a marker and its length, before the metadata. */
const MESSAGE_PREFIX_BYTES = 8;

/** The position of a buffer in its message, including its prefix. */
export type BufferPlace = readonly [offset: number, bytes: number];

/** The lengths before compression of the buffers compressed since `contentLengthsOf` started, and the level. */
let contentLengths: number[] = [];
let level = 0;

compressionRegistry.set(CompressionType.ZSTD, {
  encode: (bytes) => {
    contentLengths.push(bytes.length);
    return zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: level },
    });
  },
  decode: (bytes) => zstdDecompressSync(bytes),
});

/** The lengths before compression of the written buffers, in order; empty buffers have none. */
export function contentLengthsOf(zstdLevel: number, write: () => void): readonly number[] {
  contentLengths = [];
  level = zstdLevel;
  write();
  return contentLengths;
}

/** The buffers of a record batch's message, including empty ones. */
export function buffersOf(message: Uint8Array, metaDataLength: number): readonly BufferPlace[] {
  const header = Message.decode(message.subarray(MESSAGE_PREFIX_BYTES, metaDataLength)).header();
  if (header === null || !('buffers' in header)) throw new Error('not a record batch');
  return header.buffers.map(({ offset, length }) => [metaDataLength + offset, length]);
}

/** Writes the lengths that the format requires: before compression, or -1 if not compressed. */
export function correctLengthPrefixes(
  message: Uint8Array,
  buffers: readonly BufferPlace[],
  lengths: readonly number[],
): void {
  const filled = buffers.filter(([, bytes]) => bytes > 0);
  for (const [index, [offset]] of filled.entries()) {
    const view = new DataView(message.buffer, message.byteOffset + offset, LENGTH_PREFIX_BYTES);
    if (view.getBigInt64(0, true) !== -1n) view.setBigInt64(0, BigInt(lengths[index]!), true);
  }
}
