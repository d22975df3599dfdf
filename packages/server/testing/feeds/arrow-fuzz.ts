/**
 * Mutated Arrow files, by a seed. Each must be read or refused with a `FeedError`, whatever is wrong with it: a read behind
 * an end would be a `RangeError`, which fails the run. A time has a byte at least, so that a loop without end, or rows
 * that are nowhere, would be seen by their number.
 */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { ARROW_SAMPLES, readTable } from './arrow-samples.ts';
import { mutated } from './mutated.ts';

/** Of the samples, expanded: packed ones grow by less than this. */
const TRADES_PER_BYTE_MAX = 1_000;

export interface ArrowFuzzOutcome {
  readonly read: number;
  readonly refused: number;
  readonly trades: number;
  /** How many different sentences refused them, numbers left out. */
  readonly sentences: number;
}

/** Reads so many mutations. */
export async function fuzzArrow(mutations: number, seed: number): Promise<ArrowFuzzOutcome> {
  const random = seededRandom(seed);
  const seeds = [...ARROW_SAMPLES.values()];
  const sentences = new Set<string>();
  let refused = 0;
  let trades = 0;
  for (let index = 0; index < mutations; index += 1) {
    const bytes = mutated(seeds[index % seeds.length]!, random);
    const reading = await readTable(bytes);
    const name = `mutation ${index} of seed ${seed}`;
    assert.ok(reading.trades.length <= bytes.length * TRADES_PER_BYTE_MAX, name);
    trades += reading.trades.length;
    if (reading.refusal === null) continue;
    refused += 1;
    sentences.add(reading.refusal.replaceAll(/\d+/g, '0'));
  }
  return { read: mutations - refused, refused, trades, sentences: sentences.size };
}
