/**
 * Streams the only file in a tar. Entries that are no files (folders, extended headers) are skipped. A second file, a
 * wrong header checksum, or a truncated tar is an error.
 */

import { FeedError } from '../feed-trades.ts';

export const TAR_BLOCK_BYTES = 512;
const MARK_AT = 257;
const CHECKSUM_AT = 148;
const SPACE = 0x20;

interface TarHead {
  /** The last part of its name; the rest is not used. */
  readonly name: string;
  readonly bytes: number;
  readonly isFile: boolean;
}

export function beginsAsTar(first: Uint8Array): boolean {
  return first.length >= TAR_BLOCK_BYTES && textAt(first, MARK_AT, 5) === 'ustar';
}

/** The file's content; `onName` is called before its first byte. */
export async function* tarContent(
  pieces: AsyncIterable<Uint8Array>,
  onName: (name: string) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const head = new Uint8Array(TAR_BLOCK_BYTES);
  let headBytes = 0;
  let entry: TarHead | null = null;
  /** The remaining bytes of the entry, and of the padding after it. */
  let left = 0;
  let padding = 0;
  let isFound = false;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const room = piece.length - at;
      if (left > 0) {
        const taken = piece.subarray(at, at + Math.min(left, room));
        left -= taken.length;
        at += taken.length;
        if (entry!.isFile) yield taken;
      } else if (padding > 0) {
        const passed = Math.min(padding, room);
        padding -= passed;
        at += passed;
      } else {
        const part = piece.subarray(at, at + TAR_BLOCK_BYTES - headBytes);
        head.set(part, headBytes);
        headBytes += part.length;
        at += part.length;
        if (headBytes < TAR_BLOCK_BYTES) continue;
        headBytes = 0;
        // Blocks of zeros mark the end.
        if (head.every((byte) => byte === 0)) continue;
        entry = readHead(head);
        left = entry.bytes;
        padding = (TAR_BLOCK_BYTES - (left % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
        if (!entry.isFile) continue;
        if (isFound) throw new FeedError('The tar has several files: unpack it and give one.');
        isFound = true;
        onName(entry.name);
      }
    }
  }
  if (left > 0 || headBytes > 0) throw new FeedError('The tar ends too early: was the file cut?');
  if (!isFound) throw new FeedError('The tar has no file in it.');
}

function readHead(head: Uint8Array): TarHead {
  let sum = 0;
  for (const [at, byte] of head.entries()) {
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + 8 ? SPACE : byte;
  }
  if (octalAt(head, CHECKSUM_AT, 8) !== sum) {
    throw new FeedError('The tar is damaged: the checksum of an entry is wrong.');
  }
  const bytes = octalAt(head, 124, 12);
  if (!Number.isSafeInteger(bytes)) {
    throw new FeedError('The tar is damaged, or has an entry of more than 8 GiB: unpack it first.');
  }
  const path = textAt(head, 0, 100);
  const kind = head[156]!;
  // The type of a file is 0, or absent in old archives.
  const isFile = kind === 0x30 || kind === 0;
  return { name: path.slice(path.lastIndexOf('/') + 1), bytes, isFile };
}

/** NaN if it is not octal. */
function octalAt(bytes: Uint8Array, at: number, count: number): number {
  const text = textAt(bytes, at, count).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function textAt(bytes: Uint8Array, at: number, count: number): string {
  const text = Buffer.from(bytes.subarray(at, at + count)).toString('utf8');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
