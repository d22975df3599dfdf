/** The way from the pieces of a file to its trades; the first look at it takes no more than it needs. */

import { KIB } from '@tapeloom/core/units';
import type { FeedTrades } from '../feed-trades.ts';
import type { PackedFile } from '../packed/packing.ts';
import type { CsvDecoder } from './csv-decoder.ts';

const FIRST_BYTES = 64 * KIB;

/** What a mapping is guessed from. */
export async function firstBytesOf(file: PackedFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of file.bytes()) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= FIRST_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, FIRST_BYTES);
}

/** All trades of a file. A batch holds until the next one is asked for. */
export async function* readCsv(file: PackedFile, decoder: CsvDecoder): AsyncGenerator<FeedTrades> {
  for await (const piece of file.bytes()) yield* decoder.push(piece);
  yield* decoder.finish();
}
