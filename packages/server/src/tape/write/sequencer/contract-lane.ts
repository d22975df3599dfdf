/**
 * One contract on the open day: judges each print, gives it rank and stamp, and keeps what waits for
 * the next commit. Ranks have no gaps; stamps never decrease, are never before the promise, and are
 * equal for two neighbours only when their source times are. State is a function of what was accepted.
 *
 *   stamp = max(source time, promise, contract's last stamp), and 1 ns more where that equals the last
 *   stamp though the two source times differ.
 *
 * A print whose stamp would reach midnight belongs to a day to come: it gets no rank here.
 */

import { TICKS_MAX } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import type { IntakeBatch } from '../intake.ts';
import type { CommitSection, HeldTrade } from '../log/log-payload.ts';
import { DedupeWindow, NEW, SEEN } from './dedupe-window.ts';
import type { SequencerCounters } from './sequencer-counters.ts';
import type { LaneState } from './sequencer-state.ts';

const CAPACITY_ROWS_MIN = 256;

/** How a batch's rows lie to the open day, all in nanoseconds since its midnight. */
export interface RowFrame {
  /** Midnight of the batch's day. */
  readonly offsetNs: number;
  readonly promiseNs: number;
  /** Source times beyond this are refused. */
  readonly aheadNs: number;
}

export class ContractLane {
  readonly symbol: string;
  readonly dedupe: DedupeWindow;
  /** Its number in the open log, -1 while the log has not named it. */
  index: number;
  /** The last rank given. */
  rank = 0;
  #lastNs = -1;
  #lastSourceNs = Number.NaN;
  #count = 0;
  #hasLate = false;
  /** Whether the pending rows are not numbered in a row. */
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

  /** What waits for the next commit; the columns are reused after `clearPending`. */
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
   * Takes rows [from, to) in order. Refused rows are counted; rows that belong to a later day are given
   * to `postpone`, which says whether their number now counts as seen. Runs of plain rows, nearly all of a sound feed, are copied column by column; the others
   * are judged one by one. Nothing is allocated per row.
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
   * The end of the run from `from` on whose rows are sound, on time, in order and numbered in a row.
   * Their prices and sizes are put where they belong on the way, since they were just made integers.
   */
  #plainEnd(batch: IntakeBatch, from: number, to: number, frame: RowFrame): number {
    const { ts, price, size, side, id } = batch;
    if (frame.offsetNs !== 0) return from;
    const prices = this.#price;
    const sizes = this.#size;
    const shift = this.#count - from;
    const untilNs = Math.min(frame.aheadNs, DAY_NS - 1);
    // The last stamp may be shared only with a trade of the same source time.
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

  /** Takes a run of plain rows, whose prices and sizes are in place. */
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

  /** Takes a trade that was held, whose number counts as seen; false when its day is still to come. */
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

  #stamp(sourceNs: number, promiseNs: number): number {
    const stampNs = Math.max(sourceNs, promiseNs, this.#lastNs);
    const isShared = stampNs === this.#lastNs && sourceNs !== this.#lastSourceNs;
    return isShared ? stampNs + 1 : stampNs;
  }

  /** Adds a row but for its price, size and side; returns where. */
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

  /** Brings the state to what it was after this section was accepted; false when it does not follow. */
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

  /** What another one needs to go on from here; nothing of what waits. */
  get state(): LaneState {
    const { symbol, index, rank, dedupe } = this;
    const windowBits = new Uint8Array(dedupe.bits.buffer).slice();
    const lastSourceNs = Number.isNaN(this.#lastSourceNs) ? null : this.#lastSourceNs;
    const lastNs = this.#lastNs;
    return { symbol, index, rank, lastNs, lastSourceNs, highestId: dedupe.highest, windowBits };
  }

  /** One that the log has not named yet. */
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

  /** Notes whether the next row's number follows the one before it. */
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

/** Whether the row is a trade at all; counts why not. `| 0` is exact for 32-bit integers only. */
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
