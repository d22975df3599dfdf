/** Mean and standard deviation of prices weighted by volume, exact to the last digit that is shown. */

// 1. Prices count from the first one, so that the sums of lots × distance and lots × distance² are small. The second
//    sum bounds every product and partial sum of both. While it is below 2^53, doubles are exact; then it moves to
//    bigints.
// 2. mean + m × deviation = (C + m × √Q) / V with the integers C = Σ lots × price, V = Σ lots and Q = V × Σ lots ×
//    price² − C². It is rounded once, to whole millionths, a half upwards, by the integer root: no digit depends on how
//    doubles behave.

import type { TradeBatch } from '../trade-batch.ts';

/** From here on a sum of doubles may have been rounded. */
const EXACT_BELOW = 2 ** 53;
const MILLION = 1_000_000n;

export class WeightedMoments {
  /** The price that distances count from; null before the first one. */
  #base: number | null = null;
  #lots = 0;
  /** Lots × distance and lots × distance² that are not in the bigint sums yet. */
  #first = 0;
  #second = 0;
  #firstBig = 0n;
  #secondBig = 0n;

  get lots(): number {
    return this.#lots;
  }

  clear(): void {
    this.#base = null;
    this.#lots = 0;
    this.#first = 0;
    this.#second = 0;
    this.#firstBig = 0n;
    this.#secondBig = 0n;
  }

  /** Rows [from, to), at least one. */
  addRows(batch: TradeBatch, from: number, to: number): void {
    const { price, size } = batch;
    this.#base ??= price[from]!;
    const base = this.#base;
    let total = this.#lots;
    let first = this.#first;
    let second = this.#second;
    for (let row = from; row < to; row += 1) {
      const lots = size[row]!;
      const distance = price[row]! - base;
      const moment = lots * distance;
      total += lots;
      first += moment;
      second += moment * distance;
    }
    if (second >= EXACT_BELOW) {
      this.#addInParts(batch, from, to);
      return;
    }
    this.#lots = total;
    this.#first = first;
    this.#second = second;
  }

  add(price: number, lots: number): void {
    this.#base ??= price;
    const distance = price - this.#base;
    const second = this.#second + lots * distance * distance;
    this.#lots += lots;
    if (second >= EXACT_BELOW) {
      const moment = BigInt(lots) * BigInt(distance);
      this.#firstBig += moment;
      this.#secondBig += moment * BigInt(distance);
      return;
    }
    this.#first += lots * distance;
    this.#second = second;
  }

  /** The mean plus each multiple of the deviation, and the deviation, in whole millionths of a tick; needs lots. */
  millionths(multiples: readonly bigint[]): { deviation: bigint; bands: bigint[] } {
    const volume = BigInt(this.#lots);
    const first = this.#firstBig + BigInt(this.#first);
    const second = this.#secondBig + BigInt(this.#second);
    const spread = volume * second - first * first;
    const centre = volume * BigInt(this.#base!) + first;
    return {
      deviation: rounded(0n, 1n, spread, volume),
      bands: multiples.map((multiple) => rounded(centre, multiple, spread, volume)),
    };
  }

  /** Adds half after half, each to empty sums, down to single trades. */
  #addInParts(batch: TradeBatch, from: number, to: number): void {
    this.#firstBig += BigInt(this.#first);
    this.#secondBig += BigInt(this.#second);
    this.#first = 0;
    this.#second = 0;
    if (to - from === 1) {
      this.add(batch.price[from]!, batch.size[from]!);
      return;
    }
    const middle = (from + to) >>> 1;
    this.addRows(batch, from, middle);
    this.addRows(batch, middle, to);
  }
}

/** (centre + multiple × √spread) / volume in millionths: ⌊x + ½⌋ of the exact value. */
function rounded(centre: bigint, multiple: bigint, spread: bigint, volume: bigint): bigint {
  const doubled = 2n * MILLION * centre + volume;
  const square = 4n * MILLION * MILLION * multiple * multiple * spread;
  const root = floorRoot(square);
  if (multiple >= 0n) return floorDivide(doubled + root, 2n * volume);
  return floorDivide(doubled - (root * root === square ? root : root + 1n), 2n * volume);
}

/** ⌊√value⌋. One step of Newton's method never lands below it; further steps descend to it. */
function floorRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  const near = BigInt(Math.floor(Math.sqrt(Number(value))));
  let root = (near + value / near) >> 1n;
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Division of bigints rounds towards zero; this one rounds down. */
function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
