/** Reads the pieces of a file to trades; the first look reads only as much as it needs. */

import { KIB } from '@tapeloom/core/units';
import type { FeedTrades } from '../feed-trades.ts';
import type { PackedFile } from '../packed/packing.ts';
import type { CsvDecoder } from './csv-decoder.ts';

const FIRST_BYTES = 64 * KIB;

export async function firstBytesOf(file: PackedFile): Promise<Uint8Array> {
  const first = new Uint8Array(FIRST_BYTES);
  let bytes = 0;
  for await (const piece of file.bytes()) {
    const wanted = piece.subarray(0, FIRST_BYTES - bytes);
    first.set(wanted, bytes);
    bytes += wanted.length;
    if (bytes === FIRST_BYTES) break;
  }
  return first.subarray(0, bytes);
}

/** All trades of a file. A batch is valid until the next one is requested. */
export async function* readCsv(file: PackedFile, decoder: CsvDecoder): AsyncGenerator<FeedTrades> {
  for await (const piece of file.bytes()) yield* decoder.push(piece);
  yield* decoder.finish();
}
