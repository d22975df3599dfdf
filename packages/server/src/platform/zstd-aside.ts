/** zstd compression in other threads, so that large data does not block the event loop. */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

export interface Packing {
  pack(bytes: Uint8Array): Promise<Uint8Array>;
  unpack(packed: Uint8Array): Promise<Uint8Array>;
}

export const zstdAside: Packing = {
  pack: promisify(zstdCompress),
  unpack: promisify(zstdDecompress),
};
