/**
 * Parquet's run-length and bit-packing hybrid for small integers: a run is either a repeated number, or groups of eight
 * numbers of a fixed width. It stores definition levels and dictionary indexes.
 */

/** Surplus numbers allowed in the last run's groups: writers fill whole blocks. */
const SPARE_MAX = 512;

/** Fills `into` from the bytes [from, to), numbers of at most 25 bits. Throws if there are fewer or more. */
export function readRuns(
  bytes: Uint8Array,
  from: number,
  to: number,
  bits: number,
  into: Uint32Array | Uint8Array,
): void {
  const valueBytes = (bits + 7) >> 3;
  let at = from;
  for (let filled = 0; filled < into.length; ) {
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= to || shift > 28) throw new Error('a page has fewer values than declared');
      const byte = bytes[at]!;
      at += 1;
      head |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    const length = head >>> 1;
    if ((head & 1) === 0) {
      if (at + valueBytes > to) throw new Error('a page has fewer values than declared');
      let value = 0;
      for (let byte = 0; byte < valueBytes; byte += 1) value |= bytes[at + byte]! << (8 * byte);
      at += valueBytes;
      if (length > into.length - filled) throw new Error('a run goes on behind its page');
      into.fill(value, filled, filled + length);
      filled += length;
    } else {
      if (length * 8 > into.length - filled + SPARE_MAX) {
        throw new Error('a run goes on behind its page');
      }
      const count = Math.min(into.length - filled, length * 8);
      // The last group may end after its last number.
      if (at + Math.ceil((count * bits) / 8) > to) {
        throw new Error('a page has fewer values than declared');
      }
      unpackBits(bytes, at, to, bits, into, filled, count);
      filled += count;
      at += length * bits;
    }
  }
}

export function unpackBits(
  bytes: Uint8Array,
  from: number,
  to: number,
  bits: number,
  into: Uint32Array | Uint8Array,
  at: number,
  count: number,
): void {
  const mask = 2 ** bits - 1;
  let bit = 0;
  for (let index = 0; index < count; index += 1) {
    const byte = from + (bit >>> 3);
    let word = bytes[byte]!;
    // Four bytes contain any such number, whatever its first bit.
    if (byte + 3 < to)
      word |= (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
    else for (let next = 1; byte + next < to; next += 1) word |= bytes[byte + next]! << (8 * next);
    into[at + index] = (word >>> (bit & 7)) & mask;
    bit += bits;
  }
}
