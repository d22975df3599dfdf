/** Bytes readable at any position: an open file, with its size when it was opened. */

import { KIB } from '@tapeloom/core/units';
import type { DiskFile } from '../../platform/disk/disk.ts';
import { FeedError } from '../feed-trades.ts';

const PIECE_BYTES = 256 * KIB;

export interface ByteSource {
  readonly size: number;
  /** Fills `into` from this position; returns the number of bytes read. */
  read: DiskFile['read'];
  /** Receives the part of the file that is read next, for the message if reading hangs. */
  readonly onPlace?: (place: string) => void;
}

/** Exactly these bytes; rejects a file that has become shorter. */
export async function bytesAt(
  source: ByteSource,
  position: number,
  count: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // Not zeroed: every byte is read before it is returned.
  const bytes = Buffer.allocUnsafeSlow(count);
  await fill(bytes, source, position);
  return bytes;
}

/** Bytes from `from` to `to` in pieces, each with its own memory. */
export async function* piecesOf(
  source: ByteSource,
  from = 0,
  to = source.size,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    yield await bytesAt(source, at, Math.min(PIECE_BYTES, to - at));
  }
}

/** All bytes in pieces that share memory: each is valid until the next one is requested. */
export async function* lentPiecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, source.size));
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const piece = memory.subarray(0, Math.min(PIECE_BYTES, source.size - at));
    await fill(piece, source, at);
    yield piece;
  }
}

async function fill(bytes: Uint8Array, source: ByteSource, position: number): Promise<void> {
  let filled = 0;
  while (filled < bytes.length) {
    const read = await source.read(bytes.subarray(filled), position + filled);
    if (read === 0) throw new FeedError(`The file ends at byte ${position + filled}, too early.`);
    filled += read;
  }
}
