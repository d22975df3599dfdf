/**
 * Turns receipts into latencies. One trade, drawn at random from those that a message covers,
 * stands for all; its latency starts when it is on disk. Up to the edge of its flush the message
 * waits by design. Everything else follows: `closing` waits for the next trade or watermark on
 * disk, `delivering` computes, encodes, passes threads and sockets, and includes the reader's own
 * delays.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { percentile } from '../shared/machine-load.ts';
import type { DriveRecord, PublishedAt } from '../shared/stream-wire.ts';
import type { Receipts } from './receipts.ts';

export interface Distribution {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface LatencySplit {
  readonly messages: number;
  readonly totalMs: Distribution;
  readonly waitingMs: Distribution;
  readonly elseMs: Distribution;
  /** The two parts of `elseMs`. */
  readonly closingMs: Distribution;
  readonly deliveringMs: Distribution;
}

/**
 * Covers messages received in [fromMs, toMs), of all topics together. Request `record` at `toMs` or
 * later: it knows no message that is published after the request.
 */
export function splitLatencies(
  receipts: readonly Receipts[],
  record: DriveRecord,
  fromMs: number,
  toMs: number,
): LatencySplit {
  const random = seededRandom(1);
  const total: number[] = [];
  const waiting: number[] = [];
  const others: number[] = [];
  const closing: number[] = [];
  const delivering: number[] = [];
  for (const [topic, { cursors, cursorIndexes, receivedMs }] of receipts.entries()) {
    const published = publishedBy(record.edges[topic]!);
    for (const [at, index] of cursorIndexes.entries()) {
      const received = receivedMs[at]!;
      if (received < fromMs || received >= toMs) continue;
      const cursor = cursors[index]!;
      const message = published.get(cursor);
      if (message === undefined) throw new Error(`${cursor} was received but never published`);
      const { edgeMs, closedMs, firstRank, lastRank } = message;
      const trade = firstRank + Math.floor(random() * (lastRank - firstRank + 1));
      const acceptedMs = record.acceptedMs[trade]!;
      const waited = Math.max(edgeMs, acceptedMs);
      total.push(received - acceptedMs);
      waiting.push(waited - acceptedMs);
      others.push(received - waited);
      const closed = Number.isNaN(closedMs) ? waited : Math.max(closedMs, waited);
      closing.push(closed - waited);
      delivering.push(received - closed);
    }
  }
  return {
    messages: total.length,
    totalMs: distribution(total),
    waitingMs: distribution(waiting),
    elseMs: distribution(others),
    closingMs: distribution(closing),
    deliveringMs: distribution(delivering),
  };
}

/** The messages of a topic by cursor, each with the ranks of the trades it covers. */
function publishedBy(messages: readonly PublishedAt[]) {
  let before = 0;
  return new Map(
    messages.map((message) => {
      const lastRank = parseCursor(message.cursor)!.rank;
      const firstRank = Math.min(before + 1, lastRank);
      before = lastRank;
      return [message.cursor, { ...message, firstRank, lastRank }];
    }),
  );
}

export function distribution(values: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).sort();
  return {
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
    max: sorted.at(-1) ?? Number.NaN,
  };
}
