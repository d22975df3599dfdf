/**
 * A count per second, rounded once to 6 decimals, halves up. The result is the exact one: a quotient of
 * integers misses a half by at least 1/(2 × seconds) unless it hits it, and while the count in
 * millionths stays below 2^52 the error of the division is smaller than that.
 */

const MILLION = 1_000_000;
export const COUNT_MAX = Math.floor(2 ** 52 / MILLION);

export function perSecond(count: number, seconds: number): number {
  return Math.round((count * MILLION) / seconds) / MILLION;
}
