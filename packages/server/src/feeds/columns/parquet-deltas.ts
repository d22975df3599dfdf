/**
 * Parquet's delta encoding of texts: each text is a prefix of the previous one plus its own bytes. Both lengths are
 * stored in blocks, as differences. The library reads this only in pages of version 2.
 */

import { unpackBits } from './parquet-runs.ts';
import { WORD_BYTES_MAX, type WordCodes } from './stored-values.ts';

/** Lengths of words need fewer; wider ones are left to the library. */
const BITS_MAX = 25;
const VARINT_BYTES_MAX = 5;

interface Lengths {
  readonly values: Float64Array;
  readonly end: number;
}

/** The codes of words; null if the library must read them. Throws if the bytes are no such page. */
export function deltaWordCodes(
  bytes: Uint8Array,
  count: number,
  known: WordCodes,
): Uint32Array | null {
  const codes = new Uint32Array(count);
  if (count === 0) return codes;
  const shared = readLengths(bytes, 0, count);
  const own = shared && readLengths(bytes, shared.end, count);
  if (own === null) return null;
  const word = new Uint8Array(WORD_BYTES_MAX);
  let [at, length] = [own.end, 0];
  for (let index = 0; index < count; index += 1) {
    const same = shared!.values[index]!;
    const more = own.values[index]!;
    if (same > length) throw new Error('a word has more of the one before than that has');
    if (at + more > bytes.length) throw new Error('a word goes on behind its page');
    length = same + more;
    if (length > WORD_BYTES_MAX) return null;
    word.set(bytes.subarray(at, at + more), same);
    at += more;
    const code = known.codeOf(word, 0, length);
    if (code === null) return null;
    codes[index] = code;
  }
  return codes;
}

function readLengths(bytes: Uint8Array, from: number, count: number): Lengths | null {
  let at = from;
  const varint = () => {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return value;
    }
    throw new Error('a page has fewer values than declared');
  };
  const signed = () => {
    const coded = varint();
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  };
  const blockValues = varint();
  const parts = varint();
  const partValues = blockValues / parts;
  if (varint() !== count) throw new Error('a page does not have as many values as declared');
  // Eight numbers of any width end at a byte boundary.
  if (!Number.isInteger(partValues) || partValues === 0 || partValues % 8 !== 0) {
    throw new Error('a page has blocks of no size');
  }
  const values = new Float64Array(count);
  let value = signed();
  const set = (index: number) => {
    if (value < 0) throw new Error('a word has fewer bytes than none');
    values[index] = value;
  };
  set(0);
  for (let filled = 1; filled < count; ) {
    const least = signed();
    const widths = bytes.subarray(at, at + parts);
    at += widths.length;
    for (let part = 0; part < parts && filled < count; part += 1) {
      const bits = widths[part];
      if (bits === undefined) throw new Error('a page has fewer values than declared');
      if (bits > BITS_MAX) return null;
      const taken = Math.min(partValues, count - filled);
      if (at + Math.ceil((taken * bits) / 8) > bytes.length) {
        throw new Error('a page has fewer values than declared');
      }
      const above = new Uint32Array(taken);
      if (bits > 0) unpackBits(bytes, at, bytes.length, bits, above, 0, taken);
      at += (partValues * bits) / 8;
      for (let index = 0; index < taken; index += 1) {
        value += least + above[index]!;
        set(filled + index);
      }
      filled += taken;
    }
  }
  return { values, end: at };
}
