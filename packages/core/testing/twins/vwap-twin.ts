/**
 * The naive twin of VWAP: fractions of bigints over all trades so far. It takes no square root: it rounds by comparing
 * with one half millionth after the other.
 */

import { type BarParams, barTwin, type Part } from './bar-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export function vwapTwin(tape: TwinTape, params: BarParams): TwinUpdate[] {
  return barTwin(tape, params, ({ parts }, _end, earlier) => vwapData([...earlier, ...parts]));
}

export function vwapData(parts: readonly Pick<Part, 'price' | 'size'>[]) {
  const sum = (of: (price: bigint, size: bigint) => bigint) =>
    parts.reduce((all, { price, size }) => all + of(BigInt(price), BigInt(size)), 0n);
  const volume = sum((_, size) => size);
  const value = sum((price, size) => price * size);
  // volume² × variance = Σ size × (volume × price − value)² / volume
  const variance = sum((price, size) => size * (volume * price - value) ** 2n) / volume;
  const band = (multiple: bigint) => nearest(value, multiple, variance, volume);
  return {
    vwap: band(0n),
    deviation: nearest(0n, 1n, variance, volume),
    upper1: band(1n),
    lower1: band(-1n),
    upper2: band(2n),
    lower2: band(-2n),
    upper3: band(3n),
    lower3: band(-3n),
    volume: Number(volume),
  };
}

/** (centre + multiple × √square) / volume, to the nearest millionth, a half upwards. */
function nearest(centre: bigint, multiple: bigint, square: bigint, volume: bigint): number {
  const estimate = (Number(centre) + Number(multiple) * Math.sqrt(Number(square))) / Number(volume);
  let millionths = BigInt(Math.round(estimate * 1e6));
  const isBelow = (halves: bigint) => {
    // centre + multiple × √square < halves × volume / 2,000,000, all times 2,000,000
    const left = 2_000_000n * multiple;
    const right = halves * volume - 2_000_000n * centre;
    if (left >= 0n) return right > 0n && left ** 2n * square < right ** 2n;
    return right > 0n || left ** 2n * square > right ** 2n;
  };
  while (isBelow(2n * millionths - 1n)) millionths -= 1n;
  while (!isBelow(2n * millionths + 1n)) millionths += 1n;
  return Number(millionths) / 1e6;
}
