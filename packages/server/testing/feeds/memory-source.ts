/** Bytes in memory as an open file. */

import type { ByteSource } from '../../src/feeds/packed/byte-source.ts';

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(into, position) {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return Promise.resolve(part.length);
    },
  };
}
