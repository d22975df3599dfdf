/** Bytes that can be read at any place: an open file of the house's disk, with its size when it was opened. */

import { KIB } from '@tapeloom/core/units';
import type { DiskFile } from '../../platform/disk/disk.ts';
import { FeedError } from '../feed-trades.ts';

const PIECE_BYTES = 256 * KIB;

export interface ByteSource {
  readonly size: number;
  /** Fills `into` from this position; returns how many bytes there were. */
  read: DiskFile['read'];
  /** Hears which part of the file is read next, in words: should reading never end, it can be said where. */
  readonly onPlace?: (place: string) => void;
}

/** Exactly these bytes; a file that has become shorter is refused. */
export async function bytesAt(
  source: ByteSource,
  position: number,
  count: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // Not zeroed first: every byte of it is read, or it is not handed out.
  const bytes = Buffer.allocUnsafeSlow(count);
  await fill(bytes, source, position);
  return bytes;
}

/** Bytes from `from` to `to` in pieces; each is a memory of its own. */
export async function* piecesOf(
  source: ByteSource,
  from = 0,
  to = source.size,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    yield await bytesAt(source, at, Math.min(PIECE_BYTES, to - at));
  }
}

/** All bytes in pieces that lie in one memory: each holds until the next one is asked for. */
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
