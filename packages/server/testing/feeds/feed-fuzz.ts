/**
 * Fuzzes files of every supported form from a seed, in threads with the limits of the commands' thread. Each must be
 * read or rejected: no read may run for ever, take all memory, or end the process.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import type { FeedThread } from '../../src/feeds/guarded/feed-thread.ts';
import { ARROW_SAMPLES } from './arrow-samples.ts';
import { seedFiles } from './dbn-fuzz.ts';
import { DBN_SCHEMAS } from './dbn-writer.ts';
import { PACKED_SAMPLES } from './packed-samples.ts';
import { scidFile } from './scid-file.ts';
import { TAR_END, tarEntry, tarHead } from './tar-of.ts';
import { zipOf } from './zip-text.ts';

/** The forms, in groups that take about equally long. */
export const FUZZED_GROUPS = {
  files: ['parquet', 'arrow', 'dbn', 'definitions', 'csv', 'json', 'scid'],
  packings: ['zip', 'tar', 'zstd', 'gzip', 'lz4'],
  slowPackings: ['bzip2', 'xz'],
} as const;
export const FUZZED_FORMS = Object.values(FUZZED_GROUPS).flat();
export type FuzzedForm = (typeof FUZZED_FORMS)[number];

/** A stuck thread is ended soon; a file of the samples' size is read within a millisecond. */
const HEAP_MIB = 256;
const CHECK_MS = 100;
/** Processor time of this process: a thread that waits for a processor is not stuck. */
const SILENT_PROCESSOR_US = 1_500_000;
/** Checks by wall time, for a stuck thread that uses no processor. */
const SILENT_CHECKS = 600;

const TEXT = `ts,price,size,side,symbol\n${Array.from(
  { length: 60 },
  (_, row) =>
    `17731530${10 + row}000000000,${5_000 + row / 4},${1 + (row % 7)},${row % 2 ? 'buy' : 'sell'},ESH6\n`,
).join('')}`;

const JSON_LINES = Array.from(
  { length: 60 },
  (_, row) =>
    `{"ts":17731530${10 + row}000000000,"price":"${5_000 + row / 4}","size":${1 + (row % 7)},"side":"${row % 2 ? 'buy' : 'sell'}","info":{"id":"${row}"}}\n`,
).join('');

const SCID_TRADES = Array.from({ length: 60 }, (_, row) => ({
  us: 1_773_153_000_000_000n + BigInt(row) * 1_000n,
  price: 5_000 + (row % 8) / 4,
  bidVolume: row % 2,
  askVolume: 1 - (row % 2),
}));

export interface FeedFuzzOutcome {
  readonly read: number;
  readonly refused: number;
  /** How many of those ended the thread. */
  readonly ended: number;
  /** The number of distinct error messages, without their numbers. */
  readonly sentences: number;
}

/** The thread's input and progress. */
export interface FuzzWork {
  readonly form: FuzzedForm;
  readonly seed: number;
  readonly mutations: number;
  readonly samples: readonly Uint8Array[];
  /** Shared: the next mutation, and the counts of read files, rejected files and started threads. */
  readonly done: Int32Array;
}

export async function fuzzFeed(
  form: FuzzedForm,
  mutations: number,
  seed: number,
): Promise<FeedFuzzOutcome> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-fuzz-'));
  try {
    // Copies: slices of Node buffers share memory.
    const samples = (await samplesOf(form, directory)).map((sample) => Uint8Array.from(sample));
    const done = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
    const sentences = new Set<string>();
    let ended = 0;
    for (;;) {
      const end = await runThread({ form, seed, mutations, samples, done }, sentences);
      if (end === 'all') break;
      // The mutation that ended the thread counts as rejected, and the next thread starts after it.
      ended += 1;
      sentences.add(end);
      done[0]! += 1;
      done[2]! += 1;
    }
    return { read: done[1]!, refused: done[2]!, ended, sentences: sentences.size };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Runs until all is read, or until a file ends the thread; returns the reason. Other errors are ours and thrown. */
async function runThread(work: FuzzWork, sentences: Set<string>): Promise<string> {
  const worker = new Worker(new URL('./feed-fuzz-worker.ts', import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  const over = Promise.withResolvers<string>();
  worker.on('message', (words: string) => sentences.add(words));
  worker.on('exit', (code) => over.resolve(code === 0 ? 'all' : 'ended'));
  worker.on('error', (error) => {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') over.resolve('memory');
    else over.reject(new Error(`mutation ${work.done[0]} of ${work.form}`, { cause: error }));
  });
  const begun = work.done[3];
  let [seen, silent, since] = [work.done[0], 0, process.cpuUsage()];
  const watch = setInterval(() => {
    // The time until the thread has started does not count.
    silent = work.done[0] === seen && work.done[3] !== begun ? silent + 1 : 0;
    seen = work.done[0];
    if (silent === 0) since = process.cpuUsage();
    const { user, system } = process.cpuUsage(since);
    if (user + system < SILENT_PROCESSOR_US && silent < SILENT_CHECKS) return;
    over.resolve('time');
    void worker.terminate();
  }, CHECK_MS);
  try {
    return await over.promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}

/** The message of the rejection; null when everything was read. */
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
    case 'definitions':
      return [...seedFiles()].filter((file) => file[24] === DBN_SCHEMAS.definition);
    case 'csv':
      return [text, Buffer.from(TEXT.replaceAll(',', ';'))];
    case 'zip':
      return [zipOf([{ name: 'ESH6.csv', bytes: text }])];
    case 'tar':
      return [
        Buffer.concat([tarHead('days/', 0, '5'), tarEntry('days/ESH6.csv', text), TAR_END]),
        Buffer.concat([tarEntry('ESH6.csv.gz', gzipSync(text)), TAR_END]),
      ];
    case 'zstd':
      return [zstdCompressSync(text), ...[...seedFiles()].map((file) => zstdCompressSync(file))];
    case 'gzip':
      return [gzipSync(text)];
    case 'bzip2':
      return packedAs('.bz2');
    case 'xz':
      return packedAs('.xz');
    case 'lz4':
      return packedAs('.lz4');
    case 'json':
      return [Buffer.from(JSON_LINES)];
    case 'scid':
      return [scidFile(SCID_TRADES)];
    default:
      return form satisfies never;
  }
}

function packedAs(ending: string): readonly Uint8Array[] {
  return [...PACKED_SAMPLES].flatMap(([name, bytes]) => (name.endsWith(ending) ? [bytes] : []));
}

/** Uses version 2 pages, in which dictionary indexes carry their bit width. */
export function secondPages(codec: 'UNCOMPRESSED' | 'SNAPPY'): Uint8Array {
  const columnData = [
    { name: 'ts', type: 'INT64' as const, data: SECOND_ROWS.map(timeOf) },
    { name: 'price', type: 'DOUBLE' as const, data: SECOND_ROWS.map(priceOf) },
    { name: 'size', type: 'INT32' as const, data: SECOND_ROWS.map((row) => 1 + (row % 3)) },
    { name: 'side', type: 'STRING' as const, data: SECOND_ROWS.map(sideOf) },
    { name: 'symbol', type: 'STRING' as const, data: SECOND_ROWS.map(() => 'ESH6') },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, codec }));
}

/** The same with prices as fixed-length bytes, which the library decodes. */
function fixedBytes(repetition: 'REQUIRED' | 'OPTIONAL' = 'REQUIRED'): Uint8Array {
  const required = { repetition_type: 'REQUIRED' } as const;
  const priceBytes = (row: number) => new Uint8Array(Float64Array.of(priceOf(row)).buffer);
  const file = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: 4 },
      { name: 'ts', type: 'INT64', ...required },
      { name: 'price', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 8, repetition_type: repetition },
      { name: 'size', type: 'INT32', ...required },
      { name: 'side', type: 'BYTE_ARRAY', converted_type: 'UTF8', ...required },
    ],
    columnData: [
      { name: 'ts', data: SECOND_ROWS.map(timeOf) },
      { name: 'price', data: SECOND_ROWS.map(priceBytes), encoding: 'RLE_DICTIONARY' },
      { name: 'size', data: SECOND_ROWS.map((row) => 1 + (row % 3)) },
      { name: 'side', data: SECOND_ROWS.map(sideOf) },
    ],
    codec: 'UNCOMPRESSED',
  });
  return new Uint8Array(file);
}

const SECOND_ROWS = Array.from({ length: 64 }, (_, row) => row);
const timeOf = (row: number) => 1_773_153_000_123_456_789n + BigInt(row) * 1_000_000n;
const priceOf = (row: number) => 5_000 + (row % 8) / 4;
const sideOf = (row: number) => (row % 2 ? 'buy' : 'sell');

/** A file that the Parquet library would read for ever: counts of bits below zero in its prices. */
export function endlessParquet(): Uint8Array {
  return damagedParquet([0, 255, 255, 255, 255, 15]);
}

/** A kilobyte that declares one price a billion times. */
export function vastParquet(): Uint8Array {
  return damagedParquet([3, 254, 255, 255, 255, 7, 0]);
}

/** A file in which 8,191 of 64 rows have a price. */
export function longLevels(): Uint8Array {
  const file = fixedBytes('OPTIONAL');
  const at = Buffer.from(file).indexOf(Buffer.from([128, 1, 1, 3, 17, 136, 198, 250]));
  assert.notEqual(at, -1);
  file.set([254, 127], at);
  return file;
}

/** Replaces the bit width of the price indexes, and the runs after it. */
function damagedParquet(damage: readonly number[]): Uint8Array {
  const file = fixedBytes();
  const at = Buffer.from(file).indexOf(Buffer.from([3, 17, 136, 198, 250]));
  assert.notEqual(at, -1);
  file.set(damage, at);
  return file;
}

/** Small files of every compression and both page versions; repeated names use dictionaries. */
async function parquetSamples(directory: string): Promise<readonly Uint8Array[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection: DuckDBConnection = await instance.connect();
  try {
    const deltas = readFileSync(join(import.meta.dirname, 'packed/delta-texts.parquet'));
    const samples = [secondPages('UNCOMPRESSED'), secondPages('SNAPPY'), fixedBytes(), deltas];
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
