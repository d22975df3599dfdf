/**
 * Expands chunks of LZMA2, the compression of xz. A chunk states its packed and expanded size, at most 64 KiB and 2
 * MiB, so the work is bounded. Memory grows with the expanded bytes, up to the dictionary size of the file.
 */

import { MIB } from '@tapeloom/core/units';

const STATES = 12;
const POSITIONS = 16;
const LITERAL_STATES = 7;
const PROBABILITY_BITS = 11;
const HALF = 1 << (PROBABILITY_BITS - 1);
const MOVE_BITS = 5;
const TOP = 2 ** 24;
const RANGE_BYTES = 5;
const MATCH_LENGTH_MIN = 2;
const LITERAL_CODER = 0x300;
/** lc + lp is at most 4. */
const LITERALS = LITERAL_CODER << 4;

const IS_MATCH = 0;
const IS_REP = IS_MATCH + STATES * POSITIONS;
const IS_REP_0 = IS_REP + STATES;
const IS_REP_1 = IS_REP_0 + STATES;
const IS_REP_2 = IS_REP_1 + STATES;
const IS_REP_0_LONG = IS_REP_2 + STATES;
const DISTANCE_SLOT = IS_REP_0_LONG + STATES * POSITIONS;
const DISTANCE_SPECIAL = DISTANCE_SLOT + 4 * 64;
const DISTANCE_ALIGN = DISTANCE_SPECIAL + 128;
const MATCH_LENGTH = DISTANCE_ALIGN + 16;
/** For lengths: two choices, then low and middle lengths for each position, then high ones. */
const LENGTH_LOW = 2;
const LENGTH_MIDDLE = LENGTH_LOW + POSITIONS * 8;
const LENGTH_HIGH = LENGTH_MIDDLE + POSITIONS * 8;
const LENGTH_CODERS = LENGTH_HIGH + 256;
const REP_LENGTH = MATCH_LENGTH + LENGTH_CODERS;
const LITERAL = REP_LENGTH + LENGTH_CODERS;

const WINDOW_FIRST = 4 * MIB;

export class LzmaDecoder {
  readonly #dictionaryBytes: number;
  readonly #probabilities = new Uint16Array(LITERAL + LITERALS);
  #window = new Uint8Array(WINDOW_FIRST);
  #at = 0;
  #begin = 0;
  #literalContext = 0;
  #literalMask = 0;
  #positionMask = 0;
  #hasProperties = false;
  #state = 0;
  readonly #distances = new Uint32Array(4);
  #input: Uint8Array = new Uint8Array();
  #next = 0;
  #range = 0;
  #code = 0;
  /** The bytes before the window, and before the dictionary, from which positions are counted. */
  #before = 0;
  #origin = 0;

  constructor(dictionaryBytes: number) {
    this.#dictionaryBytes = dictionaryBytes;
  }

  /** Clears the dictionary: later matches cannot reach earlier bytes. */
  forget(): void {
    this.#begin = this.#at;
    this.#origin = this.#before + this.#at;
  }

  /** False for an invalid byte. */
  setProperties(byte: number): boolean {
    if (byte >= 9 * 5 * 5) return false;
    const [lc, lp, pb] = [byte % 9, Math.floor(byte / 9) % 5, Math.floor(byte / 45)];
    if (lc + lp > 4) return false;
    this.#literalContext = lc;
    this.#literalMask = (1 << lp) - 1;
    this.#positionMask = (1 << pb) - 1;
    this.#hasProperties = true;
    this.reset();
    return true;
  }

  reset(): void {
    this.#probabilities.fill(HALF);
    this.#distances.fill(0);
    this.#state = 0;
  }

  /** Takes uncompressed bytes. The result is valid until the next chunk. */
  copy(bytes: Uint8Array): Uint8Array {
    this.#makeRoom(bytes.length);
    const from = this.#at;
    this.#window.set(bytes, from);
    this.#at += bytes.length;
    return this.#window.subarray(from, this.#at);
  }

  /** Expands a chunk to exactly `length` bytes; null if it is damaged. The result is valid until the next chunk. */
  expand(bytes: Uint8Array, length: number): Uint8Array | null {
    if (!this.#hasProperties || bytes.length < RANGE_BYTES || bytes[0] !== 0) return null;
    this.#makeRoom(length);
    this.#input = bytes;
    this.#range = 0xffff_ffff;
    this.#code = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    this.#next = RANGE_BYTES;
    const from = this.#at;
    const end = from + length;
    while (this.#at < end) if (!this.#step(end)) return null;
    if (this.#range < TOP) this.#shift();
    // The chunk was read exactly to its end, and the final code must be zero.
    if (this.#next !== bytes.length || this.#code !== 0) return null;
    return this.#window.subarray(from, end);
  }

  /** Decodes one literal or one match; false if the data is damaged. */
  #step(end: number): boolean {
    if (this.#next > this.#input.length) return false;
    const position = (this.#before + this.#at - this.#origin) & this.#positionMask;
    const state = this.#state;
    if (this.#bit(IS_MATCH + state * POSITIONS + position) === 0) {
      this.#literal();
      return true;
    }
    const distances = this.#distances;
    let length: number;
    if (this.#bit(IS_REP + state) === 0) {
      distances.copyWithin(1, 0, 3);
      length = this.#length(MATCH_LENGTH, position);
      distances[0] = this.#distance(length);
      this.#state = state < LITERAL_STATES ? 7 : 10;
    } else if (this.#bit(IS_REP_0 + state) === 0) {
      if (this.#bit(IS_REP_0_LONG + state * POSITIONS + position) === 0) {
        this.#state = state < LITERAL_STATES ? 9 : 11;
        return this.#repeat(1, end);
      }
      length = this.#length(REP_LENGTH, position);
      this.#state = state < LITERAL_STATES ? 8 : 11;
    } else {
      let index = 1;
      if (this.#bit(IS_REP_1 + state) === 1) index = 2 + this.#bit(IS_REP_2 + state);
      const distance = distances[index]!;
      distances.copyWithin(1, 0, index);
      distances[0] = distance;
      length = this.#length(REP_LENGTH, position);
      this.#state = state < LITERAL_STATES ? 8 : 11;
    }
    return this.#repeat(length, end);
  }

  #literal(): void {
    const window = this.#window;
    const at = this.#at;
    const last = at > this.#begin ? window[at - 1]! : 0;
    const position = this.#before + at - this.#origin;
    const low = (position & this.#literalMask) << this.#literalContext;
    const coder = LITERAL + LITERAL_CODER * (low + (last >> (8 - this.#literalContext)));
    let symbol = 1;
    if (this.#state >= LITERAL_STATES) {
      // After a match, the byte that would have continued it selects the probabilities.
      const from = at - this.#distances[0]! - 1;
      let match = from >= this.#begin ? window[from]! : 0;
      let offset = 0x100;
      while (symbol < 0x100) {
        match <<= 1;
        const matchBit = match & offset;
        const bit = this.#bit(coder + offset + matchBit + symbol);
        symbol = (symbol << 1) | bit;
        offset = bit === 1 ? matchBit : offset & ~matchBit;
      }
    } else while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(coder + symbol);
    window[at] = symbol & 0xff;
    this.#at = at + 1;
    const state = this.#state;
    this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  #length(coder: number, position: number): number {
    if (this.#bit(coder) === 0) {
      return MATCH_LENGTH_MIN + this.#tree(coder + LENGTH_LOW + position * 8, 3);
    }
    if (this.#bit(coder + 1) === 0) {
      return MATCH_LENGTH_MIN + 8 + this.#tree(coder + LENGTH_MIDDLE + position * 8, 3);
    }
    return MATCH_LENGTH_MIN + 16 + this.#tree(coder + LENGTH_HIGH, 8);
  }

  /** The distance of a match, minus one. */
  #distance(length: number): number {
    const kind = Math.min(length - MATCH_LENGTH_MIN, 3);
    const slot = this.#tree(DISTANCE_SLOT + kind * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return high + this.#reversedTree(DISTANCE_SPECIAL + high - slot, bits);
    const middle = this.#directBits(bits - 4) * 16;
    return high + middle + this.#reversedTree(DISTANCE_ALIGN, 4);
  }

  #repeat(length: number, end: number): boolean {
    const back = this.#distances[0]! + 1;
    const at = this.#at;
    const isThere = back <= at - this.#begin && back <= this.#dictionaryBytes;
    if (!isThere || length > end - at) return false;
    const window = this.#window;
    for (let to = at; to < at + length; to += 1) window[to] = window[to - back]!;
    this.#at = at + length;
    return true;
  }

  #tree(coder: number, bits: number): number {
    let symbol = 1;
    for (let bit = 0; bit < bits; bit += 1) symbol = (symbol << 1) | this.#bit(coder + symbol);
    return symbol - (1 << bits);
  }

  #reversedTree(coder: number, bits: number): number {
    let [symbol, value] = [1, 0];
    for (let index = 0; index < bits; index += 1) {
      const bit = this.#bit(coder + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << index;
    }
    return value;
  }

  #directBits(bits: number): number {
    let value = 0;
    for (let bit = 0; bit < bits; bit += 1) {
      if (this.#range < TOP) this.#shift();
      this.#range >>>= 1;
      const isSet = this.#code >= this.#range;
      if (isSet) this.#code -= this.#range;
      value = value * 2 + (isSet ? 1 : 0);
    }
    return value;
  }

  #bit(index: number): number {
    if (this.#range < TOP) this.#shift();
    const probability = this.#probabilities[index]!;
    const bound = (this.#range >>> PROBABILITY_BITS) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      this.#probabilities[index] =
        probability + (((1 << PROBABILITY_BITS) - probability) >> MOVE_BITS);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    this.#probabilities[index] = probability - (probability >> MOVE_BITS);
    return 1;
  }

  /** Beyond the end it reads zeros; the position shows that this happened. */
  #shift(): void {
    const byte = this.#next < this.#input.length ? this.#input[this.#next]! : 0;
    this.#next += 1;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | byte) >>> 0;
  }

  /** Keeps the dictionary's bytes; the window is at most twice the dictionary plus a chunk. */
  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#window.length) return;
    const kept = Math.min(this.#at - this.#begin, this.#dictionaryBytes);
    const from = this.#at - kept;
    const isRoom = (kept + bytes) * 2 <= this.#window.length;
    const window = isRoom ? this.#window : new Uint8Array((kept + bytes) * 2);
    if (isRoom) window.copyWithin(0, from, this.#at);
    else window.set(this.#window.subarray(from, this.#at));
    this.#window = window;
    this.#before += from;
    this.#begin = 0;
    this.#at = kept;
  }
}
