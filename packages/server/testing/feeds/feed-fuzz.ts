/**
 * Mutated files of every form that is read, by a seed, each read in the thread that the commands use. Each must be read or
 * refused with a `FeedError` within the limits of that thread: nothing else may be thrown, and nothing may go on for ever.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { MIB } from '@tapeloom/core/units';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { FEED_LIMITS, FeedThread } from '../../src/feeds/guarded/feed-thread.ts';
import { ARROW_SAMPLES } from './arrow-samples.ts';
import { seedFiles } from './dbn-fuzz.ts';
import { mutated } from './mutated.ts';
import { zipOf } from './zip-text.ts';

export const FUZZED_FORMS = ['parquet', 'arrow', 'dbn', 'csv', 'zip', 'zstd', 'gzip'] as const;
export type FuzzedForm = (typeof FUZZED_FORMS)[number];

/** A thread that is stuck is ended soon; a file of the size of the samples is read in a millisecond. */
const LIMITS = { ...FEED_LIMITS, heapBytes: 256 * MIB, checkMs: 250, silentChecks: 8 };

const TEXT = `ts,price,size,side,symbol\n${Array.from(
  { length: 60 },
  (_, row) =>
    `17731530${10 + row}000000000,${5_000 + row / 4},${1 + (row % 7)},${row % 2 ? 'buy' : 'sell'},ESH6\n`,
).join('')}`;

export interface FeedFuzzOutcome {
  readonly read: number;
  readonly refused: number;
  /** How many of those ended the thread. */
  readonly ended: number;
  /** How many different sentences refused them, numbers left out. */
  readonly sentences: number;
}

export async function fuzzFeed(
  form: FuzzedForm,
  mutations: number,
  seed: number,
): Promise<FeedFuzzOutcome> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-fuzz-'));
  await using feeds = new FeedThread(new AbortController().signal, LIMITS);
  try {
    // Copies that are no buffers of Node, whose slices share their memory.
    const samples = (await samplesOf(form, directory)).map((sample) => Uint8Array.from(sample));
    const random = seededRandom(seed);
    const path = join(directory, `ESH6.${form}`);
    const sentences = new Set<string>();
    const outcome = { read: 0, refused: 0, ended: 0 };
    for (let index = 0; index < mutations; index += 1) {
      writeFileSync(path, mutated(samples[index % samples.length]!, random));
      const refusal = await readPath(feeds, path, `mutation ${index} of ${form} by seed ${seed}`);
      outcome[refusal === null ? 'read' : 'refused'] += 1;
      if (refusal === null) continue;
      if (refusal.includes('probably damaged')) outcome.ended += 1;
      sentences.add(refusal.replaceAll(/\d+/g, '0'));
    }
    return { ...outcome, sentences: sentences.size };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The words with which a file was refused, or null when all of it was read. */
export async function readPath(feeds: FeedThread, path: string, name: string) {
  try {
    await using feed = await feeds.open(path, readFileSync(path).length, {});
    for await (const { count } of feed.trades()) assert.ok(count >= 0);
    return null;
  } catch (error) {
    assert.ok(error instanceof FeedError, `${name}: ${(error as Error).stack}`);
    return error.message;
  }
}

async function samplesOf(form: FuzzedForm, directory: string): Promise<readonly Uint8Array[]> {
  const text = Buffer.from(TEXT);
  switch (form) {
    case 'parquet':
      return await parquetSamples(directory);
    case 'arrow':
      return [...ARROW_SAMPLES.values()];
    case 'dbn':
      return [...seedFiles()];
    case 'csv':
      return [text, Buffer.from(TEXT.replaceAll(',', ';'))];
    case 'zip':
      return [zipOf([{ name: 'ESH6.csv', bytes: text }])];
    case 'zstd':
      return [zstdCompressSync(text), ...[...seedFiles()].map((file) => zstdCompressSync(file))];
    case 'gzip':
      return [gzipSync(text)];
    default:
      return form satisfies never;
  }
}

/** With pages of the second version, in which the indexes of a dictionary say how many bits they have. */
export function secondPages(codec: 'UNCOMPRESSED' | 'SNAPPY'): Uint8Array {
  const rows = Array.from({ length: 64 }, (_, row) => row);
  const columnData = [
    {
      name: 'ts',
      type: 'INT64' as const,
      data: rows.map((row) => 1_773_153_000_123_456_789n + BigInt(row) * 1_000_000n),
    },
    { name: 'price', type: 'DOUBLE' as const, data: rows.map((row) => 5_000 + (row % 8) / 4) },
    { name: 'size', type: 'INT32' as const, data: rows.map((row) => 1 + (row % 3)) },
    { name: 'side', type: 'STRING' as const, data: rows.map((row) => (row % 2 ? 'buy' : 'sell')) },
    { name: 'symbol', type: 'STRING' as const, data: rows.map(() => 'ESH6') },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, codec }));
}

/** Small files of every packing and both versions of pages; names that repeat are in dictionaries. */
async function parquetSamples(directory: string): Promise<readonly Uint8Array[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection: DuckDBConnection = await instance.connect();
  try {
    const samples = [secondPages('UNCOMPRESSED'), secondPages('SNAPPY')];
    const path = join(directory, 'sample.parquet');
    for (const packing of ['uncompressed', 'snappy', 'zstd', 'gzip']) {
      for (const version of ['V1', 'V2']) {
        await connection.run(
          `COPY (SELECT 1773153000123456789 + i * 1000000 AS ts, 5000 + (i % 8) * 0.25::DOUBLE AS price,
             (1 + i % 3)::INTEGER AS size, CASE WHEN i % 2 = 0 THEN 'sell' ELSE 'buy' END AS side, 'ESH6' AS symbol
             FROM range(64) t(i)) TO '${path}' (FORMAT parquet, COMPRESSION ${packing}, PARQUET_VERSION ${version})`,
        );
        samples.push(readFileSync(path));
      }
    }
    return samples;
  } finally {
    connection.closeSync();
  }
}
