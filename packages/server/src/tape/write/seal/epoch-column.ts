/**
 * Converts times between doubles of nanoseconds since a day's midnight (memory) and 64-bit nanoseconds since 1970
 * (files). Both directions are exact. A 64-bit value is handled as two 32-bit halves, low half first, without BigInt.
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
 * Writes rows [from, from + count) of `ns`, offset by the day's midnight, to the start of `halves`. If the day's times,
 * read as doubles, have one exponent, each is computed as such a double (see `readEpochColumn`).
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
 * Converts values to nanoseconds since the day's midnight, in place. They lie on that day; with 1970-01-01 they
 * may reach 52 days beyond.
 *
 * No value is converted: its 64 bits are reinterpreted as a double. Integers with the same upper 12 bits, as most days
 * have, become doubles of one exponent. Their distances are those of the integers times a power of two. The difference
 * to midnight and its product with that power are both exact.
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

/** Midnight as such a double, and nanoseconds per unit. Null: the day spans several exponents, or has exponent 0. */
function doublesOf(day: UtcDay): { readonly start: number; readonly scale: number } | null {
  const midnight = BigInt(dayNumber(day)) * BigInt(DAY_NS);
  const exponent = Number(midnight >> MANTISSA_BITS);
  const isOneExponent = exponent === Number((midnight + BigInt(DAY_NS)) >> MANTISSA_BITS);
  if (exponent === 0 || !isOneExponent) return null;
  const start = new Float64Array(new BigInt64Array([midnight]).buffer)[0]!;
  return { start, scale: 2 ** (Number(MANTISSA_BITS) + EXPONENT_OF_ONE - exponent) };
}

/**
 * The same for any day. A double in [2^52, 2^53) holds an integer unchanged in its lower bits, below a fixed upper
 * part. So the upper halves get that part, and the excess is subtracted as doubles.
 */
function readOverExponents(day: UtcDay, halves: Uint32Array, ns: Float64Array): Float64Array {
  const [midnightLow, midnightHigh] = midnightHalves(day);
  // Signed halves add faster.
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
