/**
 * One contract on the open day: judges each print, assigns rank and stamp, and collects the rows of the next commit.
 * Ranks have no gaps. Stamps never decrease, are never before the watermark (`promise`), and two neighbours share one
 * only when their source times are equal. A print whose stamp would reach midnight belongs to a later day and gets no
 * rank here. The state depends only on the accepted trades.
 */

import { TICKS_MAX } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import type { IntakeBatch } from '../intake.ts';
import type { CommitSection, HeldTrade } from '../log/log-payload.ts';
import { DedupeWindow, NEW, SEEN } from './dedupe-window.ts';
import type { SequencerCounters } from './sequencer-counters.ts';
import type { LaneState } from './sequencer-state.ts';

const CAPACITY_ROWS_MIN = 256;

/** How a batch's rows relate to the open day, in nanoseconds since the open day's midnight. */
export interface RowFrame {
  /** Midnight of the batch's day. */
  readonly offsetNs: number;
  readonly promiseNs: number;
  /** Later source times are rejected. */
  readonly aheadNs: number;
}

export class ContractLane {
  readonly symbol: string;
  readonly dedupe: DedupeWindow;
  /** Its number in the open log, -1 while the log has not named it. */
  index: number;
  /** The last assigned rank. */
  rank = 0;
  #lastNs = -1;
  #lastSourceNs = Number.NaN;
  #count = 0;
  #hasLate = false;
  /** Whether the pending rows have other than consecutive numbers. */
  #hasIds = false;
  #ts = new Float64Array(0);
  #id = new Float64Array(0);
  #late = new Float64Array(0);
  #price = new Int32Array(0);
  #size = new Int32Array(0);
  #side = new Int8Array(0);

  constructor(symbol: string, dedupe: DedupeWindow, index: number) {
    this.symbol = symbol;
    this.dedupe = dedupe;
    this.index = index;
  }

  get pendingCount(): number {
    return this.#count;
  }

  /** The rows of the next commit; the columns are reused after `clearPending`. */
  get pending(): CommitSection {
    return {
      index: this.index,
      firstRank: this.rank - this.#count + 1,
      count: this.#count,
      ts: this.#ts,
      firstId: this.#id[0] ?? -1,
      id: this.#hasIds ? this.#id : null,
      late: this.#hasLate ? this.#late : null,
      price: this.#price,
      size: this.#size,
      side: this.#side,
    };
  }

  clearPending(): void {
    this.#count = 0;
    this.#hasLate = false;
    this.#hasIds = false;
  }

  /**
   * Takes rows [from, to) in order. Rejected rows are counted. Rows of a later day go to `postpone`, which returns
   * whether their number now counts as seen. Runs of plain rows, nearly all of a sound feed, are copied column by
   * column; the others are judged one by one. Nothing is allocated per row.
   */
  take(
    batch: IntakeBatch,
    from: number,
    to: number,
    frame: RowFrame,
    counters: SequencerCounters,
    postpone: (row: number) => boolean,
  ): void {
    this.#reserve(this.#count + to - from);
    const before = this.#count;
    for (let row = from; row < to; row++) {
      const plainEnd = this.#plainEnd(batch, row, to, frame);
      if (plainEnd > row) this.#takePlain(batch, row, plainEnd);
      row = plainEnd;
      if (row < to) this.#takeOne(batch, row, frame, counters, postpone);
    }
    this.rank += this.#count - before;
    counters.accepted += this.#count - before;
  }

  /**
   * The end of the run of sound, punctual, ordered rows with consecutive numbers that starts at `from`. Their prices
   * and sizes are stored on the way, because this check has already converted them to integers.
   */
  #plainEnd(batch: IntakeBatch, from: number, to: number, frame: RowFrame): number {
    const { ts, price, size, side, id } = batch;
    if (frame.offsetNs !== 0) return from;
    const prices = this.#price;
    const sizes = this.#size;
    const shift = this.#count - from;
    const untilNs = Math.min(frame.aheadNs, DAY_NS - 1);
    // Only a trade with the same source time may share the last stamp.
    const afterNs = this.#lastSourceNs === this.#lastNs ? this.#lastNs : this.#lastNs + 1;
    let leastNs = Math.max(frame.promiseNs, afterNs);
    let nextId = id[from]!;
    if (!(nextId > this.dedupe.highest && isFeedNumber(nextId + to - from))) return from;
    let row = from;
    for (; row < to; row++) {
      const ns = ts[row]!;
      if (!(ns >= leastNs && ns <= untilNs) || Math.floor(ns) !== ns) break;
      const lots = size[row]! | 0;
      const ticks = price[row]! | 0;
      if (lots !== size[row] || ticks !== price[row] || lots <= 0) break;
      if (side[row]! < -1 || side[row]! > 1 || id[row] !== nextId) break;
      prices[row + shift] = ticks;
      sizes[row + shift] = lots;
      leastNs = ns;
      nextId += 1;
    }
    return row;
  }

  /** Takes a run of plain rows whose prices and sizes are already stored. */
  #takePlain(batch: IntakeBatch, from: number, to: number): void {
    const count = this.#count;
    const end = count + to - from;
    this.#expectId(batch.id[from]!);
    this.#ts.set(batch.ts.subarray(from, to), count);
    this.#id.set(batch.id.subarray(from, to), count);
    this.#late.fill(0, count, end);
    this.#side.set(batch.side.subarray(from, to), count);
    this.dedupe.addRun(batch.id[from]!, to - from);
    this.#count = end;
    this.#lastNs = batch.ts[to - 1]!;
    this.#lastSourceNs = this.#lastNs;
  }

  #takeOne(
    batch: IntakeBatch,
    row: number,
    frame: RowFrame,
    counters: SequencerCounters,
    postpone: (row: number) => boolean,
  ): void {
    if (!isSound(batch, row, counters)) return;
    const sourceNs = batch.ts[row]! + frame.offsetNs;
    if (sourceNs > frame.aheadNs) {
      counters.aheadOfTime += 1;
      return;
    }
    const id = batch.id[row]!;
    const verdict = this.dedupe.judge(id);
    if (verdict !== NEW) {
      if (verdict === SEEN) counters.duplicate += 1;
      else counters.tooOld += 1;
      return;
    }
    const stampNs = this.#stamp(sourceNs, frame.promiseNs);
    if (stampNs >= DAY_NS) {
      if (postpone(row)) this.dedupe.add(id);
      return;
    }
    this.dedupe.add(id);
    const at = this.#append(id, sourceNs, stampNs, frame, counters);
    this.#price[at] = batch.price[row]!;
    this.#size[at] = batch.size[row]!;
    this.#side[at] = knownSide(batch.side[row]!, counters);
  }

  /** Takes a held trade, whose number counts as seen already; false when its day is still to come. */
  takeHeld(trade: HeldTrade, frame: RowFrame, counters: SequencerCounters): boolean {
    const sourceNs = trade.ts + frame.offsetNs;
    const stampNs = this.#stamp(sourceNs, frame.promiseNs);
    if (stampNs >= DAY_NS) return false;
    this.#reserve(this.#count + 1);
    const at = this.#append(trade.id, sourceNs, stampNs, frame, counters);
    this.#price[at] = trade.price;
    this.#size[at] = trade.size;
    this.#side[at] = trade.side;
    this.rank += 1;
    counters.accepted += 1;
    return true;
  }

  /**
   * The latest of source time, watermark (`promise`) and last stamp. If that is the last stamp and the source times
   * differ, 1 ns later.
   */
  #stamp(sourceNs: number, promiseNs: number): number {
    const stampNs = Math.max(sourceNs, promiseNs, this.#lastNs);
    const isShared = stampNs === this.#lastNs && sourceNs !== this.#lastSourceNs;
    return isShared ? stampNs + 1 : stampNs;
  }

  /** Adds a row without price, size and side; returns its position. */
  #append(
    id: number,
    sourceNs: number,
    stampNs: number,
    frame: RowFrame,
    counters: SequencerCounters,
  ): number {
    if (stampNs !== sourceNs) {
      if (sourceNs < frame.promiseNs) counters.late += 1;
      else counters.backwards += 1;
      this.#hasLate = true;
    }
    this.#expectId(id);
    const at = this.#count;
    this.#ts[at] = stampNs;
    this.#id[at] = id;
    this.#late[at] = stampNs - sourceNs;
    this.#lastNs = stampNs;
    this.#lastSourceNs = sourceNs;
    this.#count = at + 1;
    return at;
  }

  /** Restores the state after this section was accepted; false when the section does not follow. */
  replay(section: CommitSection): boolean {
    if (section.firstRank !== this.rank + 1 || section.count === 0) return false;
    if (section.id !== null) {
      for (let row = 0; row < section.count; row++) this.dedupe.add(section.id[row]!);
    } else if (section.firstId > this.dedupe.highest) {
      this.dedupe.addRun(section.firstId, section.count);
    } else {
      for (let row = 0; row < section.count; row++) this.dedupe.add(section.firstId + row);
    }
    const last = section.count - 1;
    this.rank += section.count;
    this.#lastNs = section.ts[last]!;
    this.#lastSourceNs = this.#lastNs - (section.late?.[last] ?? 0);
    return true;
  }

  /** The state from which another lane resumes, without pending rows. */
  get state(): LaneState {
    const { symbol, index, rank, dedupe } = this;
    const windowBits = new Uint8Array(dedupe.bits.buffer).slice();
    const lastSourceNs = Number.isNaN(this.#lastSourceNs) ? null : this.#lastSourceNs;
    const lastNs = this.#lastNs;
    return { symbol, index, rank, lastNs, lastSourceNs, highestId: dedupe.highest, windowBits };
  }

  /** A lane that the log has not named yet. */
  static unnamed(symbol: string): ContractLane {
    return new ContractLane(symbol, new DedupeWindow(), -1);
  }

  static from(state: LaneState): ContractLane {
    const dedupe = DedupeWindow.restore(state.highestId, state.windowBits);
    const lane = new ContractLane(state.symbol, dedupe, state.index);
    lane.rank = state.rank;
    lane.#lastNs = state.lastNs;
    lane.#lastSourceNs = state.lastSourceNs ?? Number.NaN;
    return lane;
  }

  /** Records whether the next row's number follows the previous one. */
  #expectId(id: number): void {
    if (this.#count > 0 && id !== this.#id[this.#count - 1]! + 1) this.#hasIds = true;
  }

  #reserve(rows: number): void {
    if (rows <= this.#ts.length) return;
    const capacity = Math.max(rows, this.#ts.length * 2, CAPACITY_ROWS_MIN);
    this.#ts = grown(this.#ts, new Float64Array(capacity));
    this.#id = grown(this.#id, new Float64Array(capacity));
    this.#late = grown(this.#late, new Float64Array(capacity));
    this.#price = grown(this.#price, new Int32Array(capacity));
    this.#size = grown(this.#size, new Int32Array(capacity));
    this.#side = grown(this.#side, new Int8Array(capacity));
  }
}

/** Whether the row is a valid trade; counts the reason if not. `| 0` is exact for 32-bit integers only. */
function isSound(batch: IntakeBatch, row: number, counters: SequencerCounters): boolean {
  const size = batch.size[row]!;
  if ((size | 0) !== size || size <= 0) {
    if (size === 0) counters.zeroSize += 1;
    else counters.badSize += 1;
    return false;
  }
  const price = batch.price[row]!;
  if ((price | 0) !== price) {
    if (Math.abs(price) <= TICKS_MAX) counters.offTickPrice += 1;
    else counters.badPrice += 1;
    return false;
  }
  const ts = batch.ts[row]!;
  if (!(ts >= 0 && ts < DAY_NS && Math.floor(ts) === ts)) {
    counters.badTime += 1;
    return false;
  }
  if (!isFeedNumber(batch.id[row]!)) {
    counters.badId += 1;
    return false;
  }
  return true;
}

function isFeedNumber(id: number): boolean {
  return id >= 0 && id <= Number.MAX_SAFE_INTEGER && Math.floor(id) === id;
}

export function knownSide(side: number, counters: SequencerCounters): number {
  if (side >= -1 && side <= 1) return side;
  counters.sideUnknown += 1;
  return 0;
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
