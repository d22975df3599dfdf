/**
 * Splits bytes into lines of text as they arrive. An open line is kept in pieces and joined once, so the time is linear
 * in its length. A line without an end fails at a limit.
 */

import { TapeloomError } from '../tapeloom-error.ts';

/** A line is one result: a few kilobytes, or hundreds of kilobytes with thousands of price levels. */
export const LINE_LENGTH_MAX = 16 * 1024 * 1024;

export class TextLines {
  readonly #decoder = new TextDecoder();
  readonly #lengthMax: number;
  #open: string[] = [];
  #length = 0;

  constructor(lengthMax: number = LINE_LENGTH_MAX) {
    this.#lengthMax = lengthMax;
  }

  /** The lines that are now complete, without their newlines. */
  push(bytes: Uint8Array): readonly string[] {
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n');
    const last = lines.pop()!;
    if (lines.length > 0) {
      this.#add(lines[0]!);
      lines[0] = this.#open.join('');
      this.#open = [];
      this.#length = 0;
    }
    this.#add(last);
    return lines;
  }

  #add(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    if (this.#length > this.#lengthMax) throw lineTooLong(this.#lengthMax);
    this.#open.push(piece);
  }
}

export function lineTooLong(lengthMax: number): TapeloomError {
  const message = `A line of the export does not end within ${lengthMax.toLocaleString('en')} bytes.`;
  return new TapeloomError('INVALID_RESPONSE', message);
}
