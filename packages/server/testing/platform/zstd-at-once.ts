/**
 * Packing for worlds whose time is simulated: done before it returns. What another thread does takes real time, however much
 * of the simulated one passes meanwhile, so that a slow machine would show other histories than a fast one.
 */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Packing } from '../../src/platform/zstd-aside.ts';

export const zstdAtOnce: Packing = {
  pack: async (bytes) => zstdCompressSync(bytes),
  unpack: async (packed) => zstdDecompressSync(packed),
};
