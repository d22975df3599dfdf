/** What the service has written in a turn of the bench, written again by a bare loop at the same moments, and how long that took. */

import { setTimeout as pause } from 'node:timers/promises';
import type { BareReaders } from '../peers/bare-writes.ts';
import { median } from '../shared/machine-load.ts';
import type { StreamProcess } from '../shared/stream-process.ts';
import type { BareRow, BareTimes, DriveRecord } from '../shared/stream-wire.ts';
import { type Distribution, distribution } from './latency-split.ts';
import type { Receipts } from './receipts.ts';

/** The last messages are read by then. */
const REST_MS = 500;

export interface BareTurn {
  /** From when a row could be begun until a message of it was received. */
  readonly ms: Distribution;
  /** How long the writer takes for one message to each connection, one after the other. */
  readonly roundMs: number;
}

export async function bareTurn(
  process: StreamProcess,
  readers: BareReaders,
  rows: readonly BareRow[],
  topics: number,
): Promise<BareTurn> {
  const before = readers.receipts.cursorIndexes.length;
  const times = await process.bareWrites(rows, topics);
  await pause(REST_MS);
  const { cursors, cursorIndexes, receivedMs } = readers.receipts;
  const took: number[] = [];
  for (let at = before; at < cursorIndexes.length; at += 1) {
    const row = Number(cursors[cursorIndexes[at]!]!) - times.first;
    took.push(receivedMs[at]! - times.begunMs[row]!);
  }
  return { ms: distribution(took), roundMs: roundMs(rows, times, topics) };
}

/** The flushes whose edges lie in [fromMs, toMs), with messages of each topic's mean size. */
export function rowsOf(
  receipts: readonly Receipts[],
  { edges }: DriveRecord,
  fromMs: number,
  toMs: number,
): BareRow[] {
  const rows: BareRow[] = [];
  for (const [topic, { bytes, cursorIndexes }] of receipts.entries()) {
    const mean = Math.round(bytes / Math.max(1, cursorIndexes.length));
    const flushes = Map.groupBy(edges[topic]!, ({ edgeMs }) => edgeMs);
    for (const [edgeMs, { length }] of flushes) {
      if (edgeMs < fromMs || edgeMs >= toMs) continue;
      rows.push({ afterMs: edgeMs - fromMs, topic, messages: length, bytes: mean });
    }
  }
  return rows.sort((a, b) => a.afterMs - b.afterMs);
}

function roundMs(rows: readonly BareRow[], { tookMs }: BareTimes, topics: number): number {
  const byTopic = Array.from({ length: topics }, (_, topic) =>
    median([...tookMs].filter((_, row) => rows[row]!.topic === topic)),
  );
  return byTopic.reduce((sum, ms) => sum + ms, 0);
}
