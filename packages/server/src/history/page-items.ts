/**
 * The items of one page as JSON text in bytes, put together from text that is already there: nothing is
 * parsed. A page takes as many as its limits allow, and always at least one.
 */

import { freeMemory } from '../platform/free-memory.ts';
import type { LineSpan } from '../results/settled-range.ts';
import type { Lines } from '../runs/day-lines.ts';
import type { FrameEntry } from '../topics/flush.ts';

const COMMA = 0x2c;
const OPENINGS: Readonly<Record<FrameEntry['kind'], Buffer>> = {
  snapshot: Buffer.from('{"t":"snapshot"'),
  upsert: Buffer.from('{"t":"upsert"'),
  remove: Buffer.from('{"t":"remove"'),
};
const SEPARATOR = Buffer.from(',');

export class PageItems {
  readonly #countMax: number;
  readonly #bytesMax: number;
  /** Each piece ends with a comma. */
  readonly #pieces: Uint8Array[] = [];
  /** Of the lines that were taken. */
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

  /** Takes lines of the span, whose bytes become its own; returns the first one that did not fit. */
  addLines({ bytes, ends }: Lines, { first, end }: LineSpan): number {
    const start = startOf(ends, first);
    const room = this.#bytesMax - this.#bytes;
    let stop = Math.min(end, first + this.#countMax - this.#count);
    if (stop > first && ends[stop - 1]! - start > room) {
      stop = first + countWithin(ends.subarray(first, stop), start + room);
      if (stop === first && this.#count === 0) stop = first + 1;
    }
    if (stop <= first) return first;
    for (let line = first; line < stop; line += 1) bytes[ends[line]! - 1] = COMMA;
    this.#memory.add(bytes.buffer);
    this.#push(bytes.subarray(start, ends[stop - 1]!), stop - first);
    return stop;
  }

  /** Takes all lines or none; an empty page takes them in any case. */
  addWhole(lines: Lines): boolean {
    const count = lines.ends.length;
    const isTooMuch =
      this.#count + count > this.#countMax || this.#bytes + lines.bytes.length > this.#bytesMax;
    if (isTooMuch && this.#count > 0) return false;
    for (const end of lines.ends) lines.bytes[end - 1] = COMMA;
    this.#memory.add(lines.bytes.buffer);
    this.#push(lines.bytes, count);
    return true;
  }

  /** Takes a message of a stream, without a subscription's name; false when it does not fit. */
  addMessage({ kind, start, end }: FrameEntry, bytes: Uint8Array): boolean {
    const opening = OPENINGS[kind];
    const size = opening.length + end - start + SEPARATOR.length;
    const isTooMuch = this.isFull || this.#bytes + size > this.#bytesMax;
    if (isTooMuch && this.#count > 0) return false;
    this.#pieces.push(opening, bytes.subarray(start, end));
    this.#push(SEPARATOR, 1);
    this.#bytes += size - SEPARATOR.length;
    return true;
  }

  /** A JSON array between what stands before and after it, called once: the lines' memory is given back. */
  encode(before: string, after: string): Buffer {
    const pieces = this.#pieces;
    const last = pieces.pop();
    const items = last === undefined ? [] : [...pieces, last.subarray(0, last.length - 1)];
    const page = Buffer.concat([Buffer.from(`${before}[`), ...items, Buffer.from(`]${after}`)]);
    for (const buffer of this.#memory) freeMemory(buffer);
    return page;
  }

  #push(piece: Uint8Array, count: number): void {
    this.#pieces.push(piece);
    this.#count += count;
    this.#bytes += piece.length;
  }
}

function startOf(ends: Uint32Array, line: number): number {
  return line === 0 ? 0 : ends[line - 1]!;
}

/** How many of these ends, which ascend, are not beyond `limit`. */
function countWithin(ends: Uint32Array, limit: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
