/**
 * The values of a column as stored in memory, so that loops can process many at a time. Distinct words are stored once,
 * and a row has the code of its word.
 */

/** Integers and floats, 64-bit integers as halves (low first), or words. Only words may be missing. */
export type StoredValues =
  | { readonly kind: 'numbers'; readonly values: NumberArray }
  | { readonly kind: 'halves'; readonly values: Uint32Array; readonly isSigned: boolean }
  | { readonly kind: 'words'; readonly codes: Uint32Array; readonly words: readonly string[] };

export type NumberArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

export const NO_WORD = 0xffff_ffff;

const HIGH = 2 ** 32;
/** Columns of sides and symbols have few words; a column with more is read value by value. */
const WORDS_MAX = 4_096;
export const WORD_BYTES_MAX = 64;
const SLOTS = 4 * WORDS_MAX;

/** Loads the numbers of rows [from, to) as doubles to the start of `into`; NaN for a 64-bit integer beyond 2^53. */
export function loadNumbers(
  stored: Exclude<StoredValues, { kind: 'words' }>,
  from: number,
  to: number,
  into: Float64Array,
): void {
  if (stored.kind === 'numbers') {
    into.set(stored.values.subarray(from, to));
    return;
  }
  const { values, isSigned } = stored;
  for (let row = from; row < to; row += 1) {
    const high = values[2 * row + 1]!;
    const value = (isSigned ? high | 0 : high) * HIGH + values[2 * row]!;
    into[row - from] = Number.isSafeInteger(value) ? value : Number.NaN;
  }
}

/** A reader of single values: decimals and 64-bit integers are bigints, a missing word is null. */
export function storedValueAt(stored: StoredValues, kind: string) {
  switch (stored.kind) {
    case 'numbers': {
      const { values } = stored;
      return kind === 'decimal'
        ? (row: number) => BigInt(values[row]!)
        : (row: number) => values[row]!;
    }
    case 'halves': {
      const { buffer, byteOffset, length } = stored.values;
      const values = stored.isSigned
        ? new BigInt64Array(buffer, byteOffset, length / 2)
        : new BigUint64Array(buffer, byteOffset, length / 2);
      return (row: number) => values[row]!;
    }
    case 'words': {
      const { codes, words } = stored;
      const values = kind === 'boolean' ? words.map((word) => word === 'true') : words;
      return (row: number) => values[codes[row]!] ?? null;
    }
    default:
      return stored satisfies never;
  }
}

export class WordCodes {
  readonly words: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #slots = new Int32Array(SLOTS).fill(-1);
  readonly #decoder = new TextDecoder();
  #last = -1;

  /** Null if there are more or longer words than a column of words has. */
  codeOf(bytes: Uint8Array, from: number, to: number): number | null {
    if (this.#last >= 0 && isWord(this.#bytes[this.#last]!, bytes, from, to)) return this.#last;
    if (to - from > WORD_BYTES_MAX) return null;
    let hash = 0;
    for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (; this.#slots[slot]! >= 0; slot = (slot + 1) & (SLOTS - 1)) {
      const code = this.#slots[slot]!;
      if (!isWord(this.#bytes[code]!, bytes, from, to)) continue;
      this.#last = code;
      return code;
    }
    const code = this.words.length;
    if (code === WORDS_MAX) return null;
    this.#slots[slot] = code;
    this.#bytes.push(bytes.slice(from, to));
    this.words.push(this.#decoder.decode(this.#bytes[code]));
    this.#last = code;
    return code;
  }
}

function isWord(word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (word.length !== to - from) return false;
  for (let at = 0; at < word.length; at += 1) if (word[at] !== bytes[from + at]) return false;
  return true;
}
