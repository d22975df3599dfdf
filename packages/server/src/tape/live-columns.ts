/**
 * The trades of one contract on an unsealed day, in memory shared between threads. The ingest thread only appends rows,
 * and notifies readers once they are on disk. A reader never looks beyond the count in its last message.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { CommitSection } from './write/log/log-payload.ts';

export const SEGMENT_ROWS = 65_536;
const ROW_BYTES = 8 + 4 + 4 + 1;
/** Up to this many rows, copying one by one is faster; an ordinary commit has only some. */
const FEW_ROWS = 32;

/** Columns of `SEGMENT_ROWS` rows over one piece of shared memory. */
export interface Segment {
  readonly memory: SharedArrayBuffer;
  readonly ts: Float64Array;
  readonly price: Int32Array;
  readonly size: Int32Array;
  readonly side: Int8Array;
}

/** A contract's rows as known to one reader: valid for good, though more may follow. */
export interface ColumnsSnapshot {
  readonly day: UtcDay;
  readonly count: number;
  readonly segments: readonly Segment[];
}

export type ColumnRows = Pick<CommitSection, 'count' | 'ts' | 'price' | 'size' | 'side'>;

/** The few rows whose stamp is not their source time, for the sealed file. */
export interface LateRows {
  /** Ascending. */
  readonly ranks: readonly number[];
  /** Stamp minus source time. */
  readonly byNs: readonly number[];
}

export class LiveColumns {
  readonly symbol: string;
  readonly segments: Segment[] = [];
  readonly lateRanks: number[] = [];
  readonly lateByNs: number[] = [];
  count = 0;
  /** The highest feed number on disk, -1 for none. */
  highestId: number;

  constructor(symbol: string, highestId: number) {
    this.symbol = symbol;
    this.highestId = highestId;
  }

  append(section: CommitSection): void {
    this.appendRows(section);
    this.highestId = Math.max(this.highestId, highestId(section));
    if (section.late !== null) this.#keepLate(section.late, section.firstRank, section.count);
  }

  appendRows(rows: ColumnRows): void {
    for (let from = 0; from < rows.count; ) {
      const at = this.count % SEGMENT_ROWS;
      if (at === 0)
        this.segments.push(viewSegment(new SharedArrayBuffer(SEGMENT_ROWS * ROW_BYTES)));
      const segment = this.segments.at(-1)!;
      const to = Math.min(rows.count, from + SEGMENT_ROWS - at);
      copyRows(rows, from, to, segment, at);
      this.count += to - from;
      from = to;
    }
  }

  #keepLate(late: Float64Array, firstRank: number, count: number): void {
    for (let row = 0; row < count; row++) {
      if (late[row] === 0) continue;
      this.lateRanks.push(firstRank + row);
      this.lateByNs.push(late[row]!);
    }
  }
}

function copyRows(rows: ColumnRows, from: number, to: number, segment: Segment, at: number): void {
  if (to - from > FEW_ROWS) {
    segment.ts.set(rows.ts.subarray(from, to), at);
    segment.price.set(rows.price.subarray(from, to), at);
    segment.size.set(rows.size.subarray(from, to), at);
    segment.side.set(rows.side.subarray(from, to), at);
    return;
  }
  for (let row = from, target = at; row < to; row += 1, target += 1) {
    segment.ts[target] = rows.ts[row]!;
    segment.price[target] = rows.price[row]!;
    segment.size[target] = rows.size[row]!;
    segment.side[target] = rows.side[row]!;
  }
}

function highestId({ firstId, id, count }: CommitSection): number {
  if (id === null) return firstId + count - 1;
  let highest = firstId;
  for (let row = 1; row < count; row++) if (id[row]! > highest) highest = id[row]!;
  return highest;
}

export function viewSegment(memory: SharedArrayBuffer): Segment {
  const rows = SEGMENT_ROWS;
  return {
    memory,
    ts: new Float64Array(memory, 0, rows),
    price: new Int32Array(memory, rows * 8, rows),
    size: new Int32Array(memory, rows * 12, rows),
    side: new Int8Array(memory, rows * 16, rows),
  };
}

/** The rows after rank `from` up to and including rank `to`, without copying. */
export function* liveBatches(
  { day, count, segments }: ColumnsSnapshot,
  from: number,
  to: number,
): Generator<TradeBatch> {
  const end = Math.min(count, to);
  for (let row = from; row < end; ) {
    const segment = segments[Math.floor(row / SEGMENT_ROWS)]!;
    const at = row % SEGMENT_ROWS;
    const rows = Math.min(end - row, SEGMENT_ROWS - at);
    const whole = { day, firstRank: (row - at + 1) as Rank, count: SEGMENT_ROWS, ...segment };
    yield sliceBatch(whole, at, at + rows);
    row += rows;
  }
}

/** The rank of the last row with ts < `ns`; 0 when there is none. */
export function liveRankBefore({ count, segments }: ColumnsSnapshot, ns: number): number {
  for (let start = 0, index = 0; start < count; start += SEGMENT_ROWS, index++) {
    const rows = Math.min(count - start, SEGMENT_ROWS);
    const row = firstRowAt(segments[index]!.ts, 0, rows, ns);
    if (row < rows) return start + row;
  }
  return count;
}
