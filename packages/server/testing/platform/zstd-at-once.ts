/** Synchronous compression for simulated time: with another thread, a slow machine would produce other histories. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Packing } from '../../src/platform/zstd-aside.ts';

export const zstdAtOnce: Packing = {
  pack: async (bytes) => zstdCompressSync(bytes),
  unpack: async (packed) => zstdDecompressSync(packed),
};
