/** One block of bzip2: code tables, symbols, and the byte order of the transform. */

const GROUP_SYMBOLS = 50;
const CODE_BITS_MAX = 20;
const TABLES_MAX = 6;
const SELECTORS_MAX = 18_002;
/** Two symbols for runs of the first byte, one for the end. */
const MORE_SYMBOLS = 2;

/** The available bytes end inside the block. */
export class CutBlock extends Error {}

export class Bzip2Bits {
  readonly #bytes: Uint8Array;
  #next: number;
  #held = 0;
  #bits = 0;

  constructor(bytes: Uint8Array, skipped: number) {
    this.#bytes = bytes;
    this.#next = 0;
    if (skipped > 0) this.read(skipped);
  }

  get at(): number {
    return this.#next * 8 - this.#bits;
  }

  /** `count` is at most 24. */
  read(count: number): number {
    while (this.#bits < count) {
      if (this.#next >= this.#bytes.length) throw new CutBlock();
      this.#held = (this.#held << 8) | this.#bytes[this.#next]!;
      this.#next += 1;
      this.#bits += 8;
    }
    this.#bits -= count;
    const value = this.#held >>> this.#bits;
    this.#held &= (1 << this.#bits) - 1;
    return value;
  }
}

interface CodeTable {
  /** By length: the last code, the offset subtracted from a code, and the symbols in code order. */
  readonly limits: Int32Array;
  readonly bases: Int32Array;
  readonly symbols: Uint16Array;
  readonly shortest: number;
}

export interface Bzip2Block {
  readonly crc: number;
  /** The low 8 bits of `work` are the bytes; the upper bits are the index of the next one. */
  readonly start: number;
  readonly count: number;
}

/** Fills `work`; null if the block is damaged. Throws `CutBlock`. */
export function readBlock(bits: Bzip2Bits, work: Uint32Array): Bzip2Block | null {
  const crc = (bits.read(16) << 16) | bits.read(16);
  // Randomised blocks exist only in versions that are thirty years old.
  if (bits.read(1) !== 0) return null;
  const origin = bits.read(24);
  const bytes = readBytesInUse(bits);
  const tableCount = bits.read(3);
  const selectorCount = bits.read(15);
  if (bytes.length === 0 || tableCount < 2 || tableCount > TABLES_MAX) return null;
  if (selectorCount === 0) return null;
  const selectors = readSelectors(bits, tableCount, selectorCount);
  if (selectors === null) return null;
  const tables: CodeTable[] = [];
  for (let table = 0; table < tableCount; table += 1) {
    const read = readTable(bits, bytes.length + MORE_SYMBOLS);
    if (read === null) return null;
    tables.push(read);
  }
  const counts = new Uint32Array(256);
  const count = readSymbols(bits, selectors, tables, bytes, work, counts);
  if (count === null || origin >= count) return null;
  let sum = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    const own = counts[byte]!;
    counts[byte] = sum;
    sum += own;
  }
  for (let index = 0; index < count; index += 1) {
    const byte = work[index]! & 0xff;
    const place = counts[byte]!;
    counts[byte] = place + 1;
    work[place] = (work[place]! & 0xff) | (index << 8);
  }
  return { crc, start: work[origin]! >>> 8, count };
}

/** A bitmap of sixteen groups of sixteen bytes. */
function readBytesInUse(bits: Bzip2Bits): Uint8Array {
  const groups = bits.read(16);
  const bytes: number[] = [];
  for (let group = 0; group < 16; group += 1) {
    if ((groups & (0x8000 >> group)) === 0) continue;
    const own = bits.read(16);
    for (let byte = 0; byte < 16; byte += 1) {
      if ((own & (0x8000 >> byte)) !== 0) bytes.push(group * 16 + byte);
    }
  }
  return Uint8Array.from(bytes);
}

function readSelectors(bits: Bzip2Bits, tableCount: number, count: number): Uint8Array | null {
  const recent = Array.from({ length: tableCount }, (_, table) => table);
  const selectors = new Uint8Array(Math.min(count, SELECTORS_MAX));
  for (let index = 0; index < count; index += 1) {
    let place = 0;
    while (bits.read(1) === 1) {
      place += 1;
      if (place === tableCount) return null;
    }
    const [table] = recent.splice(place, 1);
    recent.unshift(table!);
    // Some writers give more selectors than a block can need.
    if (index < SELECTORS_MAX) selectors[index] = table!;
  }
  return selectors;
}

function readTable(bits: Bzip2Bits, symbolCount: number): CodeTable | null {
  const lengths = new Uint8Array(symbolCount);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbolCount; symbol += 1) {
    for (;;) {
      if (length < 1 || length > CODE_BITS_MAX) return null;
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  const limits = new Int32Array(CODE_BITS_MAX + 1).fill(-1);
  const bases = new Int32Array(CODE_BITS_MAX + 1);
  const symbols = new Uint16Array(symbolCount);
  let [code, placed, shortest] = [0, 0, CODE_BITS_MAX];
  for (let size = 1; size <= CODE_BITS_MAX; size += 1) {
    bases[size] = code - placed;
    const before = placed;
    for (let symbol = 0; symbol < symbolCount; symbol += 1) {
      if (lengths[symbol] !== size) continue;
      symbols[placed] = symbol;
      placed += 1;
    }
    code += placed - before;
    if (placed > before) {
      limits[size] = code - 1;
      shortest = Math.min(shortest, size);
    }
    if (code > 2 ** size) return null;
    code <<= 1;
  }
  return { limits, bases, symbols, shortest };
}

/** Writes bytes to the low 8 bits of `work`; returns their number, or null if the data is damaged. */
function readSymbols(
  bits: Bzip2Bits,
  selectors: Uint8Array,
  tables: readonly CodeTable[],
  recent: Uint8Array,
  work: Uint32Array,
  counts: Uint32Array,
): number | null {
  const endSymbol = recent.length + 1;
  let count = 0;
  let [runLength, runUnit] = [0, 1];
  for (let group = 0; group < selectors.length; group += 1) {
    const { limits, bases, symbols, shortest } = tables[selectors[group]!]!;
    for (let left = GROUP_SYMBOLS; left > 0; left -= 1) {
      let size = shortest;
      let code = bits.read(size);
      while (code > limits[size]!) {
        if (size === CODE_BITS_MAX) return null;
        size += 1;
        code = (code << 1) | bits.read(1);
      }
      const symbol = symbols[code - bases[size]!];
      if (symbol === undefined) return null;
      if (symbol < 2) {
        // A run's length has the digits 1 and 2 in base 2, lowest first.
        runLength += runUnit << symbol;
        if (runLength > work.length - count) return null;
        runUnit <<= 1;
        continue;
      }
      if (runLength > 0) {
        work.fill(recent[0]!, count, count + runLength);
        counts[recent[0]!]! += runLength;
        count += runLength;
        [runLength, runUnit] = [0, 1];
      }
      if (symbol === endSymbol) return count;
      if (count === work.length) return null;
      const place = symbol - 1;
      const byte = recent[place]!;
      recent.copyWithin(1, 0, place);
      recent[0] = byte;
      work[count] = byte;
      counts[byte]! += 1;
      count += 1;
    }
  }
  return null;
}
