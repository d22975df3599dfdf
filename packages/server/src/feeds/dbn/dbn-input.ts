/**
 * A DBN file as it arrives, in pieces of any length: the head is put together first, then every piece is shown as a
 * window in which whole records stand. A record that a piece cuts is shown as a window of its own, once it is whole.
 * Nothing is copied but the head and such records.
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

/** A record says its length in words of four bytes, in one byte. */
const RECORD_BYTES_MAX = 255 * 4;

export interface DbnWindow {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Where in the file the bytes begin. */
  readonly position: number;
  /** The next record; who reads moves it on, behind the last one that is whole. */
  at: number;
}

export class DbnInput {
  #metadata: DbnMetadata | null = null;
  /** The head while it arrives, and how much of it is there and is needed. */
  #head = new Uint8Array(PRELUDE_BYTES);
  #headBytes = 0;
  #headBytesNeeded = PRELUDE_BYTES;
  /** A record that a piece has cut. */
  readonly #cut = new Uint8Array(RECORD_BYTES_MAX);
  #cutBytes = 0;
  /** Where in the file the next piece begins. */
  #position = 0;
  /** The present piece, where it begins in the file, and how far it was taken. */
  #piece: Uint8Array = new Uint8Array(0);
  #start = 0;
  #at = 0;
  /** The window on the piece itself, until what it leaves was kept. */
  #shown: DbnWindow | null = null;

  get metadata(): DbnMetadata | null {
    return this.#metadata;
  }

  /** Takes the next piece; what the one before held was read to its end. */
  open(piece: Uint8Array): void {
    this.#piece = piece;
    this.#start = this.#position;
    this.#position += piece.length;
    this.#at = this.#metadata === null ? this.#takeHead(piece) : 0;
    this.#shown = null;
  }

  /** The next window on what the piece holds, once the one before was read; null behind the last. */
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

  /** Refuses a file that ends before its head, or a record, does. */
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

  /** What is left of the piece is the begin of a record: fewer bytes than a record can have. */
  #keepCut(from: number): void {
    const piece = this.#piece;
    for (let at = from; at < piece.length; at += 1) this.#cut[at - from] = piece[at]!;
    this.#cutBytes = piece.length - from;
    this.#shown = null;
    this.#at = piece.length;
  }

  /** Adds to the head what the piece has of it; returns where in the piece the records begin. */
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
        this.#headBytesNeeded += readPrelude(this.#head);
      } else {
        this.#metadata = readMetadata(this.#head.subarray(0, this.#headBytes));
      }
    }
    return at;
  }

  /** Room follows what has arrived, never what the file says will arrive. */
  #makeRoom(bytes: number): void {
    if (bytes <= this.#head.length) return;
    const room = new Uint8Array(
      Math.min(Math.max(bytes, this.#head.length * 2), this.#headBytesNeeded),
    );
    room.set(this.#head.subarray(0, this.#headBytes));
    this.#head = room;
  }
}

/** The length of the record at `window.at`, of which one byte is there at least; null while it is not whole. */
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
