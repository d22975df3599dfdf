/**
 * Fuzzes Arrow files from a seed. Each mutation must be read or rejected with a `FeedError`; a read beyond an end is a
 * `RangeError`, which fails the run. Times take a byte at least, so endless loops show by the number of rows.
 */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { ARROW_SAMPLES, readTable } from './arrow-samples.ts';
import { mutated } from './mutated.ts';

/** For the expanded samples: compressed ones grow by less. */
const TRADES_PER_BYTE_MAX = 1_000;

export interface ArrowFuzzOutcome {
  readonly read: number;
  readonly refused: number;
  readonly trades: number;
  /** The number of distinct error messages, without their numbers. */
  readonly sentences: number;
}

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
