/**
 * zstd for the buffers of Arrow messages. apache-arrow asks one codec per thread, registered here and
 * nowhere else. It writes the wrong length before a compressed buffer (apache/arrow-js#470), which other
 * libraries refuse to read: who writes messages corrects it with what the codec has seen.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry, Message } from 'apache-arrow';

const LENGTH_PREFIX_BYTES = 8;
/** A message starts with a marker and its length, before the metadata. */
const MESSAGE_PREFIX_BYTES = 8;

/** Where a buffer lies in its message, its prefix included. */
export type BufferPlace = readonly [offset: number, bytes: number];

/** The lengths of the buffers that were compressed since `contentLengthsOf` began, and how. */
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

/** The lengths before compression of the buffers that are written, in their order; empty ones have none. */
export function contentLengthsOf(zstdLevel: number, write: () => void): readonly number[] {
  contentLengths = [];
  level = zstdLevel;
  write();
  return contentLengths;
}

/** The buffers of a record batch's message, empty ones too. */
export function buffersOf(message: Uint8Array, metaDataLength: number): readonly BufferPlace[] {
  const header = Message.decode(message.subarray(MESSAGE_PREFIX_BYTES, metaDataLength)).header();
  if (header === null || !('buffers' in header)) throw new Error('not a record batch');
  return header.buffers.map(({ offset, length }) => [metaDataLength + offset, length]);
}

/** Writes the lengths that the format wants: those before compression, -1 where there was none. */
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
