/**
 * A count per second, rounded once to 6 decimals, halves up. The result is exact: unless the quotient of integers hits
 * a half, it misses it by at least 1/(2 × seconds), more than the division's error for counts below 2^52 millionths.
 */

const MILLION = 1_000_000;
export const COUNT_MAX = Math.floor(2 ** 52 / MILLION);

export function perSecond(count: number, seconds: number): number {
  return Math.round((count * MILLION) / seconds) / MILLION;
}
