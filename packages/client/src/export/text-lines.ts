/**
 * Bytes to lines of text, as they come. A line that is still open is kept in pieces and joined once, so time grows with
 * the length of a line and not with its square; one without an end is refused at a limit.
 */

import { TapeloomError } from '../tapeloom-error.ts';

/** A line is one result: some kilobytes, with thousands of price levels some hundreds of them. */
export const LINE_LENGTH_MAX = 16 * 1024 * 1024;

export class TextLines {
  readonly #decoder = new TextDecoder();
  readonly #lengthMax: number;
  #open: string[] = [];
  #length = 0;

  constructor(lengthMax: number = LINE_LENGTH_MAX) {
    this.#lengthMax = lengthMax;
  }

  /** The lines that have ended, without their ends. */
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
