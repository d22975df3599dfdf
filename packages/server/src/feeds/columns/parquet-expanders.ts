/** What the pages of a Parquet file are packed with. Never more is expanded than a page says. */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Compressors, snappyUncompress } from 'hyparquet';
import { expandHadoopLz4, expandLz4Block } from '../arrow/lz4-frame.ts';

/** With room to spare the output is one piece, which is not copied once more. */
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

/** As the library takes them: in memory that is not a part of a larger one. */
export const COMPRESSORS: Compressors = Object.fromEntries(
  Object.entries(EXPANDERS).flatMap(([codec, expand]) =>
    expand === null ? [] : [[codec, (bytes, length) => new Uint8Array(expand(bytes, length))]],
  ),
);

/** One byte at least is what the library takes for a limit. */
function limits(length: number) {
  return { maxOutputLength: Math.max(length, 1), chunkSize: length + SPARE_BYTES };
}
