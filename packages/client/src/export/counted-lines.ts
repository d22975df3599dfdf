/** Counts lines in a sequence of byte chunks, and keeps the last complete line. */

import { joinBytes } from '../rest/open-answer.ts';
import { LINE_LENGTH_MAX, lineTooLong } from './text-lines.ts';

const NEWLINE = 0x0a;

export class CountedLines {
  #count = 0;
  #last: Uint8Array = new Uint8Array(0);
  #open: Uint8Array[] = [];
  #openLength = 0;
  readonly #lengthMax: number;

  constructor(lengthMax: number = LINE_LENGTH_MAX) {
    this.#lengthMax = lengthMax;
  }

  get count(): number {
    return this.#count;
  }

  get isWithinLine(): boolean {
    return this.#open.length > 0;
  }

  /** The last complete line, without its newline. */
  get lastText(): string {
    return new TextDecoder().decode(this.#last);
  }

  push(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(NEWLINE);
    if (end === -1) {
      this.#openLength += bytes.length;
      if (this.#openLength > this.#lengthMax) throw lineTooLong(this.#lengthMax);
      if (bytes.length > 0) this.#open.push(bytes);
      return;
    }
    const before = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
    const part = bytes.subarray(before + 1, end);
    this.#last = before === -1 ? joined([...this.#open, part]) : part;
    this.#open = end + 1 < bytes.length ? [bytes.subarray(end + 1)] : [];
    this.#openLength = bytes.length - end - 1;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.#count += 1;
    }
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return joinBytes(
    pieces,
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  );
}
