/**
 * Times between the two forms of the tape: doubles of nanoseconds since a day's midnight, and 64-bit
 * nanoseconds since 1970 as files have them. Both directions are exact and touch no BigInt per row: a
 * 64-bit value is handled as two 32-bit halves, low half first.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';

const HALF = 2 ** 32;
/** The double 2^52, and its upper half. */
const INTEGER_BASE = 2 ** 52;
const INTEGER_UPPER = 0x4330_0000;
const MANTISSA_BITS = 52n;
const EXPONENT_OF_ONE = 1_023;

/**
 * Writes rows [from, from + count) of `ns`, moved by the day's midnight, to the start of `halves`. Where all times of the day are
 * doubles of one exponent, each is made as such a double (see `readEpochColumn`), else half by half.
 */
export function writeEpochColumn(
  day: UtcDay,
  ns: Float64Array,
  from: number,
  count: number,
  halves: Uint32Array,
): void {
  const doubles = doublesOf(day);
  if (doubles === null || halves.byteOffset % Float64Array.BYTES_PER_ELEMENT !== 0) {
    writeHalves(day, ns, from, count, halves);
    return;
  }
  const { start, scale } = doubles;
  const perNs = 1 / scale;
  const epochs = new Float64Array(halves.buffer, halves.byteOffset, count);
  for (let row = 0; row < count; row++) epochs[row] = ns[from + row]! * perNs + start;
}

function writeHalves(
  day: UtcDay,
  ns: Float64Array,
  from: number,
  count: number,
  halves: Uint32Array,
): void {
  const [midnightLow, midnightHigh] = midnightHalves(day);
  for (let row = 0; row < count; row++) {
    const value = ns[from + row]!;
    const valueLow = value >>> 0;
    const low = midnightLow + valueLow;
    const carry = low >= HALF ? 1 : 0;
    halves[2 * row] = low;
    halves[2 * row + 1] = midnightHigh + (value - valueLow) / HALF + carry;
  }
}

/**
 * Changes values back to nanoseconds since the day's midnight, in their own memory. They lie on that day, or within 52
 * days after 1970 began if it is the day of that.
 *
 * No value is converted: its 64 bits are taken for a double as they are. Integers that share the upper 12 bits, as those of
 * a day mostly do, are doubles of one exponent then, as far apart as the integers are, but for a power of two. Both the
 * difference to the midnight and its product with that are exact.
 */
export function readEpochColumn(day: UtcDay, halves: Uint32Array): Float64Array {
  const { buffer, byteOffset, length } = halves;
  const ns = new Float64Array(buffer, byteOffset, length / 2);
  const doubles = doublesOf(day);
  if (doubles === null) return readOverExponents(day, halves, ns);
  const { start, scale } = doubles;
  for (let row = 0; row < ns.length; row++) ns[row] = (ns[row]! - start) * scale;
  return ns;
}

/** The midnight as such a double, and how many nanoseconds one is; null where the day has several exponents, or that of zero. */
function doublesOf(day: UtcDay): { readonly start: number; readonly scale: number } | null {
  const midnight = BigInt(dayNumber(day)) * BigInt(DAY_NS);
  const exponent = Number(midnight >> MANTISSA_BITS);
  const isOneExponent = exponent === Number((midnight + BigInt(DAY_NS)) >> MANTISSA_BITS);
  if (exponent === 0 || !isOneExponent) return null;
  const start = new Float64Array(new BigInt64Array([midnight]).buffer)[0]!;
  return { start, scale: 2 ** (Number(MANTISSA_BITS) + EXPONENT_OF_ONE - exponent) };
}

/**
 * The same on any day. A double of 2^52 and more, but less than 2^53, has an integer as it is in its lower bits, under
 * a fixed upper part. So the upper halves get that part, and what is too much then is taken off as doubles.
 */
function readOverExponents(day: UtcDay, halves: Uint32Array, ns: Float64Array): Float64Array {
  const [midnightLow, midnightHigh] = midnightHalves(day);
  // Signed halves are added faster.
  const signed = new Int32Array(halves.buffer, halves.byteOffset, halves.length);
  const upper = (INTEGER_UPPER - midnightHigh) | 0;
  for (let high = 1; high < signed.length; high += 2) signed[high] = (signed[high]! + upper) | 0;
  const tooMuch = INTEGER_BASE + midnightLow;
  for (let row = 0; row < ns.length; row++) ns[row] = ns[row]! - tooMuch;
  return ns;
}

function midnightHalves(day: UtcDay): readonly [low: number, high: number] {
  const midnight = BigInt(dayNumber(day)) * BigInt(DAY_NS);
  return [Number(midnight & 0xffff_ffffn), Number(midnight >> 32n)];
}
