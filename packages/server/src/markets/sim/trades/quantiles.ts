/**
 * Quantile tables for the draws of the hot loop: waiting times and order sizes. They use basic operations and the
 * square root only, which IEEE 754 defines to the last bit; Math.log and others may differ between engine versions.
 */

import type { Random } from './random.ts';

const STEPS = 4096;
const STEP_BITS = 12;
const STEP_SHIFT = 32 - STEP_BITS;
const { LN2 } = Math;

/** An integer distribution with a power tail. */
export interface SizeQuantiles {
  readonly body: Int32Array;
  /** Quantiles of the largest 1 in 4,096, on a grid of their own. */
  readonly tail: Int32Array;
}

/** The exponential distribution of mean 1 at the middle of each of 4,096 equal steps. */
const EXPONENTIAL: Float64Array = exponentialQuantiles();

export function drawExponential(random: Random): number {
  return EXPONENTIAL[random.next() >>> STEP_SHIFT]!;
}

/** P(size ≥ s) falls about like (s / least) to the power -8 / `eighths`; never above `most`. */
export function powerSizes(eighths: number, least: number, most: number): SizeQuantiles {
  const body = new Int32Array(STEPS);
  const tail = new Int32Array(STEPS);
  for (let i = 0; i < STEPS; i += 1) {
    const u = (i + 0.5) / STEPS;
    body[i] = powerSize(u, eighths, least, most);
    tail[i] = powerSize(u / STEPS, eighths, least, most);
  }
  return { body, tail };
}

export function drawSize(random: Random, sizes: SizeQuantiles): number {
  const step = random.next() >>> STEP_SHIFT;
  if (step > 0) return sizes.body[step]!;
  return sizes.tail[random.next() >>> STEP_SHIFT]!;
}

function powerSize(u: number, eighths: number, least: number, most: number): number {
  const root8 = Math.sqrt(Math.sqrt(Math.sqrt(u)));
  let power = 1;
  for (let i = 0; i < eighths; i += 1) power *= root8;
  return Math.min(Math.max(1, Math.trunc(least / power)), most);
}

function exponentialQuantiles(): Float64Array {
  const values = new Float64Array(STEPS);
  for (let i = 0; i < STEPS; i += 1) values[i] = -ln((i + 0.5) / STEPS);
  return values;
}

/** The natural logarithm of 0 < x ≤ 1 by the series of 2 artanh((x − 1) / (x + 1)). */
function ln(x: number): number {
  let scaled = x;
  let halvings = 0;
  while (scaled < 0.75) {
    scaled *= 2;
    halvings += 1;
  }
  const z = (scaled - 1) / (scaled + 1);
  let term = z;
  let sum = 0;
  for (let n = 1; n < 40; n += 2) {
    sum += term / n;
    term *= z * z;
  }
  return 2 * sum - halvings * LN2;
}
