/**
 * Encodes a finished day as its two files, the Arrow file and the sidecar. The result is decoded again and compared
 * with the trades before it is returned. Between batches it yields to the event loop: a busy contract's day takes
 * hundreds of milliseconds, and live trades must not wait for that.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { freeMemory } from '../../../platform/memory/free-memory.ts';
import type { LateRows } from '../../live-columns.ts';
import { BatchDecoder } from '../../read/batch-decoder.ts';
import { printSidecar, type SidecarBatch, TradesDigest } from '../../sidecar.ts';
import type { DaySpan } from '../../tape.ts';

export interface DayPlace {
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
}

/** Beside the trades. */
export interface DayFacts {
  /** The digest of the trades. */
  readonly digest: string;
  readonly gaps: readonly DaySpan[];
}

export interface DayFiles {
  readonly arrow: Uint8Array;
  readonly sidecar: Uint8Array;
}

export async function encodeDay(
  place: DayPlace,
  batches: readonly TradeBatch[],
  late: LateRows,
  { digest, gaps }: DayFacts,
): Promise<DayFiles> {
  const { dataset, symbol, day } = place;
  const { BATCH_ROWS } = await loadEncoder();
  const parts = batches.flatMap((batch) => [...partsOf(batch, BATCH_ROWS)]);
  const { bytes, index } = await encode(place, parts, late);
  if (!(await readsBack(bytes, index, place, parts))) {
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
    ...(gaps.length > 0 && { gaps }),
  });
  return { arrow: bytes, sidecar: new TextEncoder().encode(sidecar) };
}

/** Loaded on demand: the encoder is large and needed once a day, so a start does not load it. */
export function loadEncoder(): Promise<typeof import('../../read/arrow-day.ts')> {
  return import('../../read/arrow-day.ts');
}

function* partsOf(batch: TradeBatch, rows: number): Generator<TradeBatch> {
  for (let from = 0; from < batch.count; from += rows) {
    yield sliceBatch(batch, from, Math.min(from + rows, batch.count));
  }
}

/** Each part becomes one record batch. */
async function encode(
  { dataset, symbol, day }: DayPlace,
  parts: readonly TradeBatch[],
  late: LateRows,
): Promise<{ readonly bytes: Uint8Array; readonly index: readonly SidecarBatch[] }> {
  const { ArrowDayWriter, BATCH_ROWS } = await loadEncoder();
  const writer = new ArrowDayWriter(dataset, symbol, day);
  const lateNs = new Float64Array(BATCH_ROWS);
  let nextLate = 0;
  for (const part of parts) {
    const firstLate = nextLate;
    for (; late.ranks[nextLate]! < part.firstRank + part.count; nextLate++) {
      if (nextLate === firstLate) lateNs.fill(0);
      lateNs[late.ranks[nextLate]! - part.firstRank] = late.byNs[nextLate]!;
    }
    writer.add(part, nextLate === firstLate ? null : lateNs);
    await nextTurn();
  }
  const { bytes, batches: index } = writer.finish();
  return { bytes, index };
}

/** Whether the file holds exactly these trades. */
async function readsBack(
  bytes: Uint8Array,
  index: readonly SidecarBatch[],
  { symbol, day }: DayPlace,
  parts: readonly TradeBatch[],
): Promise<boolean> {
  if (index.length !== parts.length) return false;
  for (const [record, batch] of index.entries()) {
    const message = bytes.subarray(batch.offset, batch.offset + batch.bytes);
    const trades = new BatchDecoder(message, batch, symbol, record).trades(day);
    if (!isSame(trades, parts[record]!)) return false;
    for (const { buffer } of [trades.ts, trades.price, trades.size, trades.side]) {
      // An incompressible column is a view of the file's own memory.
      if (buffer !== bytes.buffer) freeMemory(buffer);
    }
    await nextTurn();
  }
  return true;
}

function isSame(a: TradeBatch, b: TradeBatch): boolean {
  const { count } = a;
  const columns = ['ts', 'price', 'size', 'side'] as const;
  return (
    count === b.count &&
    a.firstRank === b.firstRank &&
    columns.every((name) => bytesOf(a[name], count).equals(bytesOf(b[name], count)))
  );
}

function bytesOf(column: TradeBatch['ts' | 'price' | 'size' | 'side'], count: number): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, count * column.BYTES_PER_ELEMENT);
}

export async function digestOf(
  batches: Iterable<TradeBatch>,
  { symbol, day }: Pick<DayPlace, 'symbol' | 'day'>,
): Promise<string> {
  const digest = new TradesDigest();
  for (const batch of batches) {
    digest.update(batch);
    await nextTurn();
  }
  return digest.finish(symbol, day);
}
