/**
 * Compression for worlds on simulated time: synchronous, because another thread would take real time, and a slow
 * machine would produce other histories than a fast one.
 */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Packing } from '../../src/platform/zstd-aside.ts';

export const zstdAtOnce: Packing = {
  pack: async (bytes) => zstdCompressSync(bytes),
  unpack: async (packed) => zstdDecompressSync(packed),
};
