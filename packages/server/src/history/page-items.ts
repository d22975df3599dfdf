/**
 * The items of one page as JSON bytes, concatenated from existing text without parsing. A page takes as many items as
 * its limits allow, and always at least one.
 */

import { type Block, endWithin } from '../blocks/block.ts';
import { freeMemory } from '../platform/memory/free-memory.ts';

const COMMA = 0x2c;

type Lines = Pick<Block, 'text' | 'ends'>;

/** The lines in [first, end). */
export interface LineSpan {
  readonly first: number;
  readonly end: number;
}

export class PageItems {
  readonly #countMax: number;
  readonly #bytesMax: number;
  /** Each piece ends with a comma. */
  readonly #pieces: Uint8Array[] = [];
  /** The memory of the taken lines. */
  readonly #memory = new Set<ArrayBuffer>();
  #count = 0;
  #bytes = 0;

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#countMax;
  }

  /** Takes lines of the span and the ownership of their memory; returns the first line that does not fit. */
  add({ text, ends }: Lines, { first, end }: LineSpan): number {
    const most = Math.min(end, first + this.#countMax - this.#count);
    let stop = endWithin(ends, first, most, this.#bytesMax - this.#bytes);
    if (stop === first && first < end && this.#count === 0) stop = first + 1;
    if (stop > first)
      this.#push(text, ends.subarray(first, stop), first === 0 ? 0 : ends[first - 1]!);
    return Math.max(first, stop);
  }

  /** Takes all lines or none; an empty page takes them in any case. */
  addWhole({ text, ends }: Lines): boolean {
    const isTooMuch =
      this.#count + ends.length > this.#countMax || this.#bytes + text.length > this.#bytesMax;
    if (isTooMuch && this.#count > 0) return false;
    this.#push(text, ends, 0);
    return true;
  }

  /** A JSON array between `before` and `after`. Call it once: it frees the memory of the lines. */
  encode(before: string, after: string): Buffer {
    const pieces = this.#pieces;
    const last = pieces.pop();
    const items = last === undefined ? [] : [...pieces, last.subarray(0, last.length - 1)];
    const page = Buffer.concat([Buffer.from(`${before}[`), ...items, Buffer.from(`]${after}`)]);
    for (const buffer of this.#memory) freeMemory(buffer);
    return page;
  }

  #push(text: Lines['text'], ends: Uint32Array, start: number): void {
    for (const end of ends) text[end - 1] = COMMA;
    this.#memory.add(text.buffer);
    this.#pieces.push(text.subarray(start, ends.at(-1)));
    this.#count += ends.length;
    this.#bytes += ends.at(-1)! - start;
  }
}
