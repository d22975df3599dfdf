/** Columns of words: a few known words, or the symbols of instruments. */

import type { SymbolMapping } from '../feed-mapping.ts';
import type { FeedInstrument } from '../feed-trades.ts';
import { noFuture } from '../no-future.ts';
import type { FieldIndex } from './field-index.ts';
import { textOf } from './number-fields.ts';
import type { Reading } from './reading.ts';

/** More than any file of trades has; bounds the memory if, for example, a column of trade ids is mapped. */
const INSTRUMENTS_MAX = 100_000;

interface Word {
  readonly bytes: Uint8Array;
  readonly value: number;
}

export class WordTable {
  readonly #byFirst: readonly (readonly Word[])[];
  readonly #ofEmpty: number | null;

  constructor(values: ReadonlyMap<string, number>) {
    const byFirst: Word[][] = Array.from({ length: 256 }, () => []);
    for (const [word, value] of values) {
      const bytes = new TextEncoder().encode(word);
      if (bytes.length > 0) byFirst[bytes[0]!]!.push({ bytes, value });
    }
    this.#byFirst = byFirst;
    this.#ofEmpty = values.get('') ?? null;
  }

  /** The value of the word; null for an unknown word. */
  valueOf(bytes: Uint8Array, start: number, end: number): number | null {
    if (start === end) return this.#ofEmpty;
    const words = this.#byFirst[bytes[start]!]!;
    const length = end - start;
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index]!;
      const letters = word.bytes;
      if (letters.length !== length) continue;
      let at = 1;
      while (at < length && letters[at] === bytes[start + at]) at += 1;
      if (at === length) return word.value;
    }
    return null;
  }
}

/** The instruments of a file, in order of appearance. */
export class SymbolFields {
  readonly instruments: FeedInstrument[] = [];
  readonly indexes: Uint32Array;
  readonly #slot: number;
  readonly #isFuturesOnly: boolean;
  readonly #known = new Map<string, number>();
  #last = new Uint8Array(0);
  #lastIndex = -1;

  constructor({ isFuturesOnly }: SymbolMapping, slot: number, capacity: number) {
    this.#slot = slot;
    this.#isFuturesOnly = isFuturesOnly;
    this.indexes = new Uint32Array(capacity);
  }

  read(bytes: Uint8Array, fields: FieldIndex, from: number, to: number, reading: Reading): void {
    const { starts, ends, capacity } = fields;
    const place = this.#slot * capacity;
    for (let row = from; row < reading.end; row += 1) {
      const start = starts[place + row]!;
      const end = ends[place + row]!;
      if (start === end) reading.stop(row, 'has no symbol');
      else if (!this.#isLast(bytes, start, end)) this.#look(bytes, start, end);
      if (this.#lastIndex >= INSTRUMENTS_MAX) {
        reading.stop(row, `is of the ${INSTRUMENTS_MAX + 1}st symbol: is this the right column?`);
      }
      this.indexes[to + row - from] = this.#lastIndex;
    }
  }

  #isLast(bytes: Uint8Array, start: number, end: number): boolean {
    const last = this.#last;
    if (last.length !== end - start) return false;
    for (let at = 0; at < last.length; at += 1) {
      if (last[at] !== bytes[start + at]) return false;
    }
    return true;
  }

  #look(bytes: Uint8Array, start: number, end: number): void {
    const symbol = textOf(bytes, start, end).replaceAll('""', '"');
    let index = this.#known.get(symbol);
    if (index === undefined) {
      index = this.instruments.length;
      this.#known.set(symbol, index);
      this.instruments.push({ symbol, skipped: this.#isFuturesOnly ? noFuture(symbol) : null });
    }
    this.#last = bytes.slice(start, end);
    this.#lastIndex = index;
  }
}
