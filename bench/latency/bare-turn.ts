/** Replays a turn's writes in a bare loop at the same moments, and measures their latency. */

import { setTimeout as pause } from 'node:timers/promises';
import type { BareReaders } from '../peers/bare-writes.ts';
import { median } from '../shared/machine-load.ts';
import type { StreamProcess } from '../shared/stream-process.ts';
import type { BareRow, BareTimes, DriveRecord } from '../shared/stream-wire.ts';
import { type Distribution, distribution } from './latency-split.ts';
import type { Receipts } from './receipts.ts';

/** The last messages have arrived after this time. */
const REST_MS = 500;

export interface BareTurn {
  /** From the moment a row could start until a connection receives a message of it. */
  readonly ms: Distribution;
  /** How long the writer takes to write one message to each connection. */
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

/** Rows for flushes whose edges lie in [fromMs, toMs), with each topic's mean message size. */
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
