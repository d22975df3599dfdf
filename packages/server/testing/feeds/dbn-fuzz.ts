/**
 * Fuzzes DBN files from a seed. Each mutation must be read or rejected with a `FeedError`, and some are also read in
 * two chunks with the same result. A read beyond a window is a `RangeError`, which fails the run. A record takes at
 * least 16 bytes, so an endless loop would show by the number of records.
 */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { DefinitionDecoder } from '../../src/feeds/dbn/dbn-definitions.ts';
import type { DbnVersion } from '../../src/feeds/dbn/dbn-metadata.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { cutAt, type DbnReading, readDbn } from './dbn-reading.ts';
import { DBN_SCHEMAS, DbnWriter } from './dbn-writer.ts';
import { mutated } from './mutated.ts';

export interface FuzzOutcome {
  readonly read: number;
  readonly refused: number;
  readonly trades: number;
  /** The number of distinct error messages, without their numbers. */
  readonly sentences: number;
}

const EVENT = 1_609_160_400_098_821_953n;
/** The share that is also read in two chunks. */
const CUT_SHARE = 0.25;
const VERSIONS: readonly DbnVersion[] = [1, 2, 3];

export function fuzzDbn(mutations: number, seed: number): FuzzOutcome {
  const random = seededRandom(seed);
  const seeds = [...seedFiles()];
  const sentences = new Set<string>();
  let refused = 0;
  let trades = 0;
  for (let index = 0; index < mutations; index += 1) {
    const file = seeds[index % seeds.length]!;
    const bytes = mutated(file, random);
    const whole = readDbn([bytes]);
    const name = `mutation ${index} of seed ${seed}`;
    assert.ok(whole.decoder.records <= bytes.length / 16, name);
    if (whole.refusal !== null) {
      refused += 1;
      sentences.add(whole.refusal.replaceAll(/\d+/g, '0'));
    }
    const place = Math.floor(random() * (bytes.length + 1));
    if (random() < CUT_SHARE) expectSame(readDbn(cutAt(bytes, [place])), whole, name);
    trades += whole.trades.length;
    if (bytes[24] === DBN_SCHEMAS.definition) readAsDefinitions(bytes);
  }
  return { read: mutations - refused, refused, trades, sentences: sentences.size };
}

/** Trades before a rejection depend on the chunks; the rejection itself, and all of a valid file, do not. */
function expectSame(cut: DbnReading, whole: DbnReading, name: string): void {
  assert.equal(cut.refusal, whole.refusal, name);
  if (whole.refusal !== null) return;
  assert.deepEqual([cut.trades, cut.counts], [whole.trades, whole.counts], name);
}

function readAsDefinitions(bytes: Uint8Array): void {
  try {
    const decoder = new DefinitionDecoder();
    decoder.push(bytes);
    decoder.end();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
  }
}

/** Small files of every supported version and schema. */
export function* seedFiles(): Generator<Uint8Array> {
  for (const version of VERSIONS) {
    const mappings = ['ESH1', 'ESM1', 'ESH1-ESM1'].map((name, index) => ({
      name,
      intervals: [{ fromDay: 20_201_228, toDay: 20_201_229, output: String(5_482 + index) }],
    }));
    const head = { version, symbols: ['ES.FUT'], nameKindIn: 4, mappings } as const;
    const trade = (index: number) => ({
      instrumentId: 5_482 + (index % 3),
      event: EVENT + BigInt(index) * 1_000_000n,
      price: 3_720_250_000_000n,
      size: 1 + index,
      side: 'ABN'[index % 3]!,
    });
    const indexes = [0, 1, 2, 3];
    for (const hasSent of [false, true]) {
      const trades = new DbnWriter({ ...head, schema: DBN_SCHEMAS.trades, hasSent });
      for (const index of indexes) trades.trade(trade(index));
      yield trades.bytes;
    }
    const books = new DbnWriter({ ...head, schema: DBN_SCHEMAS['mbp-1'] });
    for (const index of indexes) books.book({ ...trade(index), action: 'TATC'[index]! }, []);
    yield books.bytes;
    const orders = new DbnWriter({ ...head, schema: DBN_SCHEMAS.mbo });
    for (const index of indexes) orders.order({ ...trade(index), action: 'TFTA'[index]! });
    yield orders.bytes;
    const capture = new DbnWriter({ version, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
    capture.mapping(trade(0), 'ES.c.0', 'ESH1').other(0x17, 80, trade(0)).trade(trade(0));
    yield capture.trade(trade(3)).bytes;
    const definitions = new DbnWriter({ version, schema: DBN_SCHEMAS.definition });
    yield definitions.definition({ instrumentId: 1, rawSymbol: 'ESH1' }).bytes;
  }
}
