/** Decompressors of Parquet pages. None expands to more than a page states. */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Compressors, snappyUncompress } from 'hyparquet';
import { expandHadoopLz4, expandLz4Block } from '../arrow/lz4-frame.ts';

/** With spare space the output is one chunk, which is not copied again. */
const SPARE_BYTES = 64;

export type Expand = (bytes: Uint8Array, length: number) => Uint8Array;

export const EXPANDERS: Readonly<Record<string, Expand | null>> = {
  UNCOMPRESSED: null,
  SNAPPY: (bytes, length) => {
    const page = new Uint8Array(length);
    snappyUncompress(bytes, page);
    return page;
  },
  LZ4_RAW: expandLz4Block,
  LZ4: expandHadoopLz4,
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, limits(length)),
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, limits(length)),
  GZIP: (bytes, length) => gunzipSync(bytes, limits(length)),
};

/** In the form the library needs: in memory that is not part of a larger buffer. */
export const COMPRESSORS: Compressors = Object.fromEntries(
  Object.entries(EXPANDERS).flatMap(([codec, expand]) =>
    expand === null ? [] : [[codec, (bytes, length) => new Uint8Array(expand(bytes, length))]],
  ),
);

/** The library requires a limit of at least one byte. */
function limits(length: number) {
  return { maxOutputLength: Math.max(length, 1), chunkSize: length + SPARE_BYTES };
}
