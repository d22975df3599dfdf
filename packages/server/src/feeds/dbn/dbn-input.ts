/**
 * A DBN file that arrives in pieces of any length: the head is assembled first, then every piece is given as a window
 * of whole records. A record split between pieces gets a window of its own once it is complete. Only the head and such
 * records are copied.
 */

import { FeedError } from '../feed-trades.ts';
import { HEADER_BYTES } from './dbn-kinds.ts';
import {
  type DbnMetadata,
  PRELUDE_BYTES,
  readMetadata,
  readPrelude,
  refuseOthers,
} from './dbn-metadata.ts';

/** A record's length is one byte, in words of four bytes. */
const RECORD_BYTES_MAX = 255 * 4;

export interface DbnWindow {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly position: number;
  /** The next record; the reader moves it beyond the last complete one. */
  at: number;
}

export class DbnInput {
  readonly #headBytesMax: number | undefined;
  #metadata: DbnMetadata | null = null;
  /** The head while it arrives, the bytes that have arrived, and the bytes needed. */
  #head = new Uint8Array(PRELUDE_BYTES);
  #headBytes = 0;
  #headBytesNeeded = PRELUDE_BYTES;
  readonly #cut = new Uint8Array(RECORD_BYTES_MAX);
  #cutBytes = 0;
  #position = 0;
  /** The current piece, its file position, and the offset up to which it was read. */
  #piece: Uint8Array = new Uint8Array(0);
  #start = 0;
  #at = 0;
  /** The window on the piece itself, until its incomplete rest is saved. */
  #shown: DbnWindow | null = null;

  /** `headBytesMax`: longer metadata are rejected; default: what a file of a whole venue has. */
  constructor(headBytesMax?: number) {
    this.#headBytesMax = headBytesMax;
  }

  get metadata(): DbnMetadata | null {
    return this.#metadata;
  }

  /** Takes the next piece; the previous one must have been read to its end. */
  open(piece: Uint8Array): void {
    this.#piece = piece;
    this.#start = this.#position;
    this.#position += piece.length;
    this.#at = this.#metadata === null ? this.#takeHead(piece) : 0;
    this.#shown = null;
  }

  /** The next window on the piece, once the previous one was read; null after the last. */
  next(): DbnWindow | null {
    const piece = this.#piece;
    if (this.#shown !== null) {
      this.#keepCut(this.#shown.at);
      return null;
    }
    if (this.#metadata === null) return null;
    if (this.#cutBytes > 0) {
      const bytes = this.#cut[0]! * 4;
      const from = this.#cutBytes;
      const added = Math.min(bytes - from, piece.length);
      for (let at = 0; at < added; at += 1) this.#cut[from + at] = piece[at]!;
      this.#cutBytes += added;
      this.#at = added;
      if (this.#cutBytes < bytes) return null;
      this.#cutBytes = 0;
      return windowOn(this.#cut.subarray(0, bytes), 0, this.#start - from);
    }
    if (this.#at === piece.length) return null;
    this.#shown = windowOn(piece, this.#at, this.#start);
    return this.#shown;
  }

  /** Rejects a file that ends inside its head or a record. */
  end(records: number): void {
    if (this.#metadata === null) {
      refuseOthers(this.#head.subarray(0, Math.min(this.#headBytes, PRELUDE_BYTES)));
      throw new FeedError(
        `The file is cut: it ends at byte ${this.#position}, inside its head, ` +
          `which has ${this.#headBytesNeeded} bytes or more.`,
      );
    }
    if (this.#cutBytes === 0) return;
    throw new FeedError(
      `The file is cut: it ends at byte ${this.#position}, inside the record that begins at byte ` +
        `${this.#position - this.#cutBytes} and has ${this.#cut[0]! * 4} bytes.`,
      records + 1,
    );
  }

  /** Saves the rest of the piece: the start of a record, shorter than a record can be. */
  #keepCut(from: number): void {
    const piece = this.#piece;
    for (let at = from; at < piece.length; at += 1) this.#cut[at - from] = piece[at]!;
    this.#cutBytes = piece.length - from;
    this.#shown = null;
    this.#at = piece.length;
  }

  /** Adds the piece's part of the head; returns the offset at which records begin. */
  #takeHead(piece: Uint8Array): number {
    let at = 0;
    while (at < piece.length && this.#metadata === null) {
      const added = piece.subarray(at, at + this.#headBytesNeeded - this.#headBytes);
      this.#makeRoom(this.#headBytes + added.length);
      this.#head.set(added, this.#headBytes);
      this.#headBytes += added.length;
      at += added.length;
      if (this.#headBytes < this.#headBytesNeeded) break;
      if (this.#headBytes === PRELUDE_BYTES) {
        this.#headBytesNeeded += readPrelude(this.#head, this.#headBytesMax);
      } else {
        this.#metadata = readMetadata(this.#head.subarray(0, this.#headBytes));
      }
    }
    return at;
  }

  /** Memory grows with the bytes that have arrived, never with announced lengths. */
  #makeRoom(bytes: number): void {
    if (bytes <= this.#head.length) return;
    const room = new Uint8Array(
      Math.min(Math.max(bytes, this.#head.length * 2), this.#headBytesNeeded),
    );
    room.set(this.#head.subarray(0, this.#headBytes));
    this.#head = room;
  }
}

/** The length of the record at `window.at`, whose first byte must be there; null while it is incomplete. */
export function wholeRecordBytes(window: DbnWindow, row: number): number | null {
  const bytes = window.bytes[window.at]! * 4;
  if (bytes < HEADER_BYTES) {
    throw new FeedError(
      `The record at byte ${window.position + window.at} says that it has ${bytes} bytes; ` +
        `every record has ${HEADER_BYTES} or more. The file is damaged there.`,
      row,
    );
  }
  return window.at + bytes <= window.bytes.length ? bytes : null;
}

function windowOn(bytes: Uint8Array, at: number, position: number): DbnWindow {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes, view, position, at };
}
