/**
 * Text as zstd frames, which exports send unchanged. A frame contains its size and a checksum, so a reader can verify
 * it. Equal text always gives equal frames.
 */

import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { freeMemory } from '../platform/memory/free-memory.ts';

/** Level 1 is faster than level 3 on such text, and compresses it better. */
const FRAME_LEVEL = 1;
const FRAME = {
  [constants.ZSTD_c_compressionLevel]: FRAME_LEVEL,
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_contentSizeFlag]: 1,
};
const compress = promisify(zstdCompress);

/** One frame, made in another thread; empty input gives empty output. */
export async function compressFrame(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length === 0) return new Uint8Array(0);
  const frame = await compress(bytes, { params: FRAME, pledgedSrcSize: bytes.length });
  const own = new Uint8Array(frame);
  freeMemory(frame.buffer);
  return own;
}

/** Compresses a few bytes synchronously: faster than waiting for another thread. */
export function compressShort(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(zstdCompressSync(bytes, { params: FRAME, pledgedSrcSize: bytes.length }));
}

/** Expands a frame; the content fills `into` exactly. */
export function expandFrame(frame: Uint8Array, into: Uint8Array): void {
  if (frame.length === 0) return;
  // One output chunk with spare space: with less, zlib makes another pass and copies.
  const options = { chunkSize: Math.max(into.length, 64) + 64, maxOutputLength: into.length };
  into.set(zstdDecompressSync(frame, options));
}

export function expandFrames(frames: Uint8Array): Buffer {
  return zstdDecompressSync(frames, { chunkSize: MIB });
}
