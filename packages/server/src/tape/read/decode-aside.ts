/**
 * Decodes batches while the thread does other work. They go to the runtime's pool together: waking it takes longer
 * than a part of a batch.
 */

import { createZstdDecompress } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { freeMemory } from '../../platform/free-memory.ts';
import type { BatchDecoder } from './batch-decoder.ts';

const SPARE_BYTES = 64;
/** Less is decompressed before another thread has begun. */
const ASIDE_BYTES = 128 * 1024;

/** In memory of their own, mostly one piece for all. */
export async function decodeAside(
  decoders: readonly BatchDecoder[],
  day: UtcDay,
): Promise<readonly TradeBatch[]> {
  const frames = decoders.map((decoder) => decoder.frames);
  const bytes = decoders.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
  if (bytes < ASIDE_BYTES || frames.includes(null)) {
    return decoders.map((decoder) => decoder.copied().trades(day));
  }
  // Frames one after the other are decompressed to contents one after the other.
  const packed = Buffer.concat(frames.flatMap((ofBatch) => ofBatch!));
  const plain = await inflateAside(packed, bytes);
  freeMemory(packed.buffer);
  if (plain?.length !== bytes)
    throw decoders[0]!.damaged('batches have not the rows their index says');
  let at = 0;
  return decoders.map((decoder) => {
    const end = at + decoder.plainBytes;
    const trades = decoder.tradesOf(day, plain.subarray(at, end));
    at = end;
    return trades;
  });
}

/**
 * What whole frames are decompressed to; null if that is not one piece of at most so many bytes. `zstdDecompress` does
 * the same, but goes to the pool once more to end its stream.
 */
function inflateAside(packed: Buffer, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  return new Promise((resolve, reject) => {
    const stream = createZstdDecompress({ chunkSize: bytesMax + SPARE_BYTES });
    const pieces: Buffer<ArrayBuffer>[] = [];
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('error', reject);
    stream.write(packed, () => {
      stream.destroy();
      resolve(pieces.length === 1 ? pieces[0]! : null);
    });
  });
}
