/**
 * Makes a finished day into files that never change again: first the Arrow file, then the sidecar that
 * says it is whole, each written beside, synced and renamed, so that a crash at any point leaves a day
 * that is sealed or one that can be sealed again. What was encoded is decoded again and compared with
 * the trades before the first byte is written. Between batches other work gets its turn: a busy
 * contract's day takes hundreds of milliseconds, and live trades must not wait for that.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { type Disk, replaceFile } from '../../platform/disk.ts';
import { type LateRows, type LiveColumns, liveBatches } from '../live-columns.ts';
import { BatchDecoder } from '../read/batch-decoder.ts';
import { readSoundSidecar } from '../read/sealed-days.ts';
import { printSidecar, type SidecarBatch, TradesDigest } from '../sidecar.ts';
import { DayConflictError } from '../tape-errors.ts';
import { contractDirectory, sealedPath, sidecarPath } from '../tape-paths.ts';

export interface SealRequest {
  readonly dataset: string;
  readonly symbol: string;
  /** The whole day, from rank 1. */
  readonly batch: TradeBatch;
  /** Stamp minus source time of every trade, where a source knows it. */
  readonly late?: Float64Array;
  /** What the day's digest is known to be; other trades are refused then. */
  readonly expected?: string | null;
}

interface Place {
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
  readonly expected: string | null;
}

/**
 * Seals a day that is complete in memory, and resolves to the digest of its trades. A day that is sealed with
 * the same trades stays as it is.
 */
export async function sealDay(
  disk: Disk,
  tapeRoot: string,
  { dataset, symbol, batch, late, expected = null }: SealRequest,
): Promise<string> {
  if (batch.firstRank !== 1) throw new RangeError('a day is sealed from rank 1');
  const ranks: number[] = [];
  const byNs: number[] = [];
  for (let row = 0; late !== undefined && row < batch.count; row++) {
    if (late[row] === 0) continue;
    ranks.push(row + 1);
    byNs.push(late[row]!);
  }
  const place = { dataset, symbol, day: batch.day, expected };
  return await seal(disk, tapeRoot, place, [batch], { ranks, byNs });
}

/** Seals what a log had for one contract, likewise. */
export async function sealColumns(
  disk: Disk,
  tapeRoot: string,
  place: Place,
  columns: LiveColumns,
): Promise<string> {
  const { count, segments, lateRanks, lateByNs } = columns;
  const batches = liveBatches({ day: place.day, count, segments }, 0, count);
  return await seal(disk, tapeRoot, place, [...batches], { ranks: lateRanks, byNs: lateByNs });
}

async function seal(
  disk: Disk,
  tapeRoot: string,
  place: Place,
  batches: readonly TradeBatch[],
  late: LateRows,
): Promise<string> {
  const { dataset, symbol, day, expected } = place;
  const digest = await digestOf(batches, place);
  if (expected !== null && expected !== digest) {
    throw new DayConflictError(dataset, symbol, day, 'was sealed before, with other trades');
  }
  const path = sidecarPath(tapeRoot, dataset, symbol, day);
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  // A damaged one counts as none, since the day can still be sealed anew.
  const before = await readSoundSidecar(disk, path);
  if (before !== null) {
    if (before.digest === digest) {
      // Whoever wrote it may have died before its name was on disk, and the log goes next.
      await disk.makeDirectory(directory);
      await disk.syncDirectory(directory);
      return digest;
    }
    throw new DayConflictError(dataset, symbol, day, 'is sealed already, with other trades');
  }
  const { bytes, index } = await encode(place, batches, late);
  if ((await digestOf(decode(bytes, index, place), place)) !== digest) {
    throw new Error(`${dataset} ${symbol} ${day} does not read back as it was written`);
  }
  const sidecar = printSidecar({
    dataset,
    symbol,
    day,
    rows: index.reduce((rows, batch) => rows + batch.rows, 0),
    firstNs: index[0]?.firstNs ?? null,
    lastNs: index.at(-1)?.lastNs ?? null,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    digest,
    batches: index,
  });
  await disk.makeDirectory(directory);
  await replaceFile(disk, sealedPath(tapeRoot, dataset, symbol, day), bytes);
  await replaceFile(disk, path, new TextEncoder().encode(sidecar));
  return digest;
}

/** What a day is encoded with is large and needed once a day, so a start does without it. */
export function loadEncoder(): Promise<typeof import('../read/arrow-day.ts')> {
  return import('../read/arrow-day.ts');
}

async function encode(
  { dataset, symbol, day }: Place,
  batches: readonly TradeBatch[],
  late: LateRows,
): Promise<{ readonly bytes: Uint8Array; readonly index: readonly SidecarBatch[] }> {
  const { ArrowDayWriter, BATCH_ROWS } = await loadEncoder();
  const writer = new ArrowDayWriter(dataset, symbol, day);
  const lateNs = new Float64Array(BATCH_ROWS);
  let nextLate = 0;
  for (const batch of batches) {
    for (let from = 0; from < batch.count; from += BATCH_ROWS) {
      const part = sliceBatch(batch, from, Math.min(from + BATCH_ROWS, batch.count));
      lateNs.fill(0);
      for (; late.ranks[nextLate]! < part.firstRank + part.count; nextLate++) {
        lateNs[late.ranks[nextLate]! - part.firstRank] = late.byNs[nextLate]!;
      }
      writer.add(part, lateNs);
      await nextTurn();
    }
  }
  const { bytes, batches: index } = writer.finish();
  return { bytes, index };
}

function* decode(
  bytes: Uint8Array,
  index: readonly SidecarBatch[],
  { symbol, day }: Place,
): Generator<TradeBatch> {
  for (const [record, batch] of index.entries()) {
    const message = bytes.subarray(batch.offset, batch.offset + batch.bytes);
    yield new BatchDecoder(message, batch, symbol, record).trades(day);
  }
}

async function digestOf(batches: Iterable<TradeBatch>, { symbol, day }: Place): Promise<string> {
  const digest = new TradesDigest();
  for (const batch of batches) {
    digest.update(batch);
    await nextTurn();
  }
  return digest.finish(symbol, day);
}
