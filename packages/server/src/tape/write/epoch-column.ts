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

/** Writes rows [from, from + count) of `ns`, moved by the day's midnight, to the start of `halves`. */
export function writeEpochColumn(
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
 * Changes values back to nanoseconds since the day's midnight, in their own memory. They lie within 52 days
 * after it.
 *
 * A double of 2^52 and more, but less than 2^53, has an integer as it is in its lower bits, under a fixed upper
 * part. So the upper halves get that part, and what is too much then is taken off as doubles: two loops
 * without a conversion, and twice as fast as one with it.
 */
export function readEpochColumn(day: UtcDay, halves: Uint32Array): Float64Array {
  const [midnightLow, midnightHigh] = midnightHalves(day);
  const { buffer, byteOffset, length } = halves;
  // Signed halves are added faster.
  const signed = new Int32Array(buffer, byteOffset, length);
  const upper = (INTEGER_UPPER - midnightHigh) | 0;
  for (let high = 1; high < length; high += 2) signed[high] = (signed[high]! + upper) | 0;
  const ns = new Float64Array(buffer, byteOffset, length / 2);
  const tooMuch = INTEGER_BASE + midnightLow;
  for (let row = 0; row < ns.length; row++) ns[row] = ns[row]! - tooMuch;
  return ns;
}

function midnightHalves(day: UtcDay): readonly [low: number, high: number] {
  const midnight = BigInt(dayNumber(day)) * BigInt(DAY_NS);
  return [Number(midnight & 0xffff_ffffn), Number(midnight >> 32n)];
}
