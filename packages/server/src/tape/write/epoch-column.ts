/**
 * Times between the two forms of the tape: doubles of nanoseconds since a day's midnight, and 64-bit
 * nanoseconds since 1970 as files have them. Both directions are exact and touch no BigInt per row: a
 * 64-bit value is handled as two 32-bit halves, low half first.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';

const HALF = 2 ** 32;
const SIGN_BIT = -(2 ** 31);

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

/** Changes values back to nanoseconds since the day's midnight, in their own memory. */
export function readEpochColumn(day: UtcDay, halves: Uint32Array): Float64Array {
  const [midnightLow, midnightHigh] = midnightHalves(day);
  const { buffer, byteOffset, length } = halves;
  const ns = new Float64Array(buffer, byteOffset, length / 2);
  // Signed halves become doubles faster; a low one is 2^31 less with its first bit turned.
  const signed = new Int32Array(buffer, byteOffset, length);
  let high = Number.NaN;
  let base = 0;
  for (let row = 0; row < ns.length; row++) {
    const newHigh = signed[2 * row + 1]!;
    if (newHigh !== high) {
      high = newHigh;
      base = (high - midnightHigh) * HALF + (HALF / 2 - midnightLow);
    }
    ns[row] = base + (signed[2 * row]! ^ SIGN_BIT);
  }
  return ns;
}

function midnightHalves(day: UtcDay): readonly [low: number, high: number] {
  const midnight = BigInt(dayNumber(day)) * BigInt(DAY_NS);
  return [Number(midnight & 0xffff_ffffn), Number(midnight >> 32n)];
}
