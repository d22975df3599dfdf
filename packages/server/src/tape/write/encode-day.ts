/**
 * A finished day as the bytes of its two files, the Arrow file and the sidecar. What was encoded is decoded again and
 * compared with the trades before it is handed out. Between batches other work gets its turn: a busy contract's day takes
 * hundreds of milliseconds, and live trades must not wait for that.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { LateRows } from '../live-columns.ts';
import { BatchDecoder } from '../read/batch-decoder.ts';
import { printSidecar, type SidecarBatch, TradesDigest } from '../sidecar.ts';

export interface DayPlace {
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
}

export interface DayFiles {
  readonly arrow: Uint8Array;
  readonly sidecar: Uint8Array;
}

/** `digest` is that of these trades. */
export async function encodeDay(
  place: DayPlace,
  batches: readonly TradeBatch[],
  late: LateRows,
  digest: string,
): Promise<DayFiles> {
  const { dataset, symbol, day } = place;
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
  return { arrow: bytes, sidecar: new TextEncoder().encode(sidecar) };
}

/** What a day is encoded with is large and needed once a day, so a start does without it. */
export function loadEncoder(): Promise<typeof import('../read/arrow-day.ts')> {
  return import('../read/arrow-day.ts');
}

async function encode(
  { dataset, symbol, day }: DayPlace,
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
  { symbol, day }: DayPlace,
): Generator<TradeBatch> {
  for (const [record, batch] of index.entries()) {
    const message = bytes.subarray(batch.offset, batch.offset + batch.bytes);
    yield new BatchDecoder(message, batch, symbol, record).trades(day);
  }
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
