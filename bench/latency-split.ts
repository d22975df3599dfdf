/**
 * From receipts to latencies. A message's latency begins when the trade that made it was accepted, which
 * is when it was on disk. Up to the edge of its flush the message waits, by design; all that comes after
 * is everything else: first the flush is closed, by the next trade or promise on disk; then it is
 * computed, encoded, passed between threads and written to sockets, and read by a process that has delays
 * of its own.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import type { Receipts } from './latency-readers.ts';
import { percentile } from './machine-load.ts';
import type { DriveRecord } from './stream-wire.ts';

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
  /** The two parts of everything else. */
  readonly closingMs: Distribution;
  readonly deliveringMs: Distribution;
}

/** Of the messages received in [fromMs, toMs), of all topics together. */
export function splitLatencies(
  receipts: readonly Receipts[],
  record: DriveRecord,
  fromMs: number,
  toMs = Number.POSITIVE_INFINITY,
): LatencySplit {
  const total: number[] = [];
  const waiting: number[] = [];
  const others: number[] = [];
  const closing: number[] = [];
  const delivering: number[] = [];
  for (const [topic, { cursors, cursorIndexes, receivedMs }] of receipts.entries()) {
    const edges = new Map(record.edges[topic]!.map((it) => [it.cursor, it]));
    const known = cursors.map((cursor) => {
      const at = edges.get(cursor);
      if (at === undefined) throw new Error(`${cursor} was received but never published`);
      return { ...at, acceptedMs: record.acceptedMs[parseCursor(cursor)!.rank]! };
    });
    for (const [at, index] of cursorIndexes.entries()) {
      const received = receivedMs[at]!;
      if (received < fromMs || received >= toMs) continue;
      const { edgeMs, closedMs, acceptedMs } = known[index]!;
      const published = Math.max(edgeMs, acceptedMs);
      total.push(received - acceptedMs);
      waiting.push(published - acceptedMs);
      others.push(received - published);
      const closed = Number.isNaN(closedMs) ? published : Math.max(closedMs, published);
      closing.push(closed - published);
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

function distribution(values: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).sort();
  return {
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
    max: sorted.at(-1) ?? Number.NaN,
  };
}
