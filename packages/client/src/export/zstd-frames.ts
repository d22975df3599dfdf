/**
 * Finds the frame boundaries of a zstd file as its bytes arrive, without decompressing (RFC 8878, section 3.1).
 * Decoders that stop after the first frame can thus get one frame at a time.
 */

import { TapeloomError } from '../tapeloom-error.ts';

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Sizes of optional fields of a frame header, by the flags in its first byte. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;

export interface FramePart {
  readonly bytes: Uint8Array;
  /** The last piece of its frame. */
  readonly isEnd: boolean;
}

export class ZstdFrames {
  /** Bytes that cannot be interpreted yet: less than a header. */
  #held: Uint8Array = new Uint8Array(0);
  /** The parser skips `#skip` bytes, then expects this. */
  #next: 'magic' | 'skippable' | 'header' | 'block' | 'end' = 'magic';
  #skip = 0;
  #hasChecksum = false;

  /** Whether all frames that began have ended. */
  get isBetweenFrames(): boolean {
    return this.#next === 'magic' && this.#skip === 0 && this.#held.length === 0;
  }

  push(piece: Uint8Array): readonly FramePart[] {
    const bytes = this.#held.length === 0 ? piece : concatenated(this.#held, piece);
    const parts: FramePart[] = [];
    let start = 0;
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (this.#skip > 0) break;
      if (this.#next === 'end') {
        parts.push({ bytes: bytes.subarray(start, at), isEnd: true });
        start = at;
        this.#next = 'magic';
      }
      const taken = this.#take(bytes.subarray(at));
      if (taken === 0) break;
      at += taken;
    }
    if (at > start) parts.push({ bytes: bytes.subarray(start, at), isEnd: false });
    this.#held = bytes.slice(at);
    return parts;
  }

  /** The number of bytes consumed; 0 if there are too few. */
  #take(bytes: Uint8Array): number {
    switch (this.#next) {
      case 'magic':
        return this.#takeMagic(bytes);
      case 'skippable':
        if (bytes.length < 4) return 0;
        this.#skip = wordAt(bytes, 0);
        this.#next = 'end';
        return 4;
      case 'header':
        return this.#takeHeader(bytes);
      case 'block':
        return this.#takeBlock(bytes);
      default:
        return 0;
    }
  }

  #takeMagic(bytes: Uint8Array): number {
    if (bytes.length < 4) return 0;
    const magic = wordAt(bytes, 0);
    if (magic === MAGIC) this.#next = 'header';
    else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) this.#next = 'skippable';
    else throw notZstd('there is no frame where one should begin');
    return 4;
  }

  #takeHeader(bytes: Uint8Array): number {
    if (bytes.length < 1) return 0;
    const descriptor = bytes[0]!;
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeFlag = descriptor >> 6;
    const sizeBytes =
      sizeFlag === 0 && isSingleSegment ? 1 : CONTENT_SIZE_BYTES[sizeFlag as 0 | 1 | 2 | 3];
    const windowBytes = isSingleSegment ? 0 : 1;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    this.#skip =
      windowBytes + DICTIONARY_ID_BYTES[(descriptor & 0x03) as 0 | 1 | 2 | 3] + sizeBytes;
    this.#next = 'block';
    return 1;
  }

  #takeBlock(bytes: Uint8Array): number {
    if (bytes.length < 3) return 0;
    const header = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16);
    const kind = (header >> 1) & 0x03;
    if (kind === 3) throw notZstd('a block is of no known kind');
    const isLast = (header & 1) !== 0;
    // A block of one repeated byte stores the byte once, whatever its size field says.
    this.#skip = (kind === 1 ? 1 : header >> 3) + (isLast && this.#hasChecksum ? 4 : 0);
    this.#next = isLast ? 'end' : 'block';
    return 3;
  }
}

export function notZstd(why: string, cause?: unknown): TapeloomError {
  const message = `The export is not zstd: ${why}.`;
  return new TapeloomError('INVALID_RESPONSE', message, cause === undefined ? {} : { cause });
}

function wordAt(bytes: Uint8Array, at: number): number {
  const high = (bytes[at + 3]! << 24) >>> 0;
  return high + (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16));
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
