/**
 * One contract on the open day: judges each print, gives it rank and stamp, and keeps what waits for
 * the next commit. Ranks have no gaps; stamps never decrease, are never before the promise, and are
 * equal for two neighbours only when their source times are. State is a function of what was accepted.
 *
 *   stamp = max(source time, promise, contract's last stamp), and 1 ns more where that equals the last
 *   stamp though the two source times differ.
 *
 * A print whose stamp would reach midnight belongs to tomorrow and is held, not accepted.
 */

import { TICKS_MAX } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/utc-day';
import { type DedupeWindow, NEW, SEEN } from './dedupe-window.ts';
import type { IntakeBatch } from './intake.ts';
import type { CommitSection } from './log-payload.ts';
import type { SequencerCounters } from './sequencer-counters.ts';

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
      id: this.#id,
      late: this.#hasLate ? this.#late : null,
      price: this.#price,
      size: this.#size,
      side: this.#side,
    };
  }

  clearPending(): void {
    this.#count = 0;
    this.#hasLate = false;
  }

  /**
   * Takes rows [from, to) in order. Refused rows are counted; rows that belong to a later day are given
   * to `hold`. Nothing is allocated per row.
   */
  take(
    batch: IntakeBatch,
    from: number,
    to: number,
    frame: RowFrame,
    counters: SequencerCounters,
    hold: (row: number) => void,
  ): void {
    this.#reserve(this.#count + to - from);
    const { offsetNs, promiseNs, aheadNs } = frame;
    const { ts, price, size, side, id } = batch;
    const dedupe = this.dedupe;
    const stamps = this.#ts;
    const lates = this.#late;
    const before = this.#count;
    let lastNs = this.#lastNs;
    let lastSourceNs = this.#lastSourceNs;
    let count = before;
    for (let row = from; row < to; row++) {
      if (!isSound(ts[row]!, price[row]!, size[row]!, id[row]!, counters)) continue;
      const sourceNs = ts[row]! + offsetNs;
      if (sourceNs > aheadNs) {
        counters.aheadOfTime += 1;
        continue;
      }
      const verdict = dedupe.judge(id[row]!);
      if (verdict !== NEW) {
        if (verdict === SEEN) counters.duplicate += 1;
        else counters.tooOld += 1;
        continue;
      }
      let stampNs = sourceNs;
      if (stampNs < promiseNs) stampNs = promiseNs;
      if (stampNs < lastNs) stampNs = lastNs;
      if (stampNs === lastNs && sourceNs !== lastSourceNs) stampNs += 1;
      if (stampNs >= DAY_NS) {
        hold(row);
        continue;
      }
      if (stampNs !== sourceNs) {
        if (sourceNs < promiseNs) counters.late += 1;
        else counters.backwards += 1;
        this.#hasLate = true;
      }
      dedupe.add(id[row]!);
      stamps[count] = stampNs;
      lates[count] = stampNs - sourceNs;
      this.#id[count] = id[row]!;
      this.#price[count] = price[row]!;
      this.#size[count] = size[row]!;
      this.#side[count] = knownSide(side[row]!, counters);
      lastNs = stampNs;
      lastSourceNs = sourceNs;
      count += 1;
    }
    this.#count = count;
    this.#lastNs = lastNs;
    this.#lastSourceNs = lastSourceNs;
    this.rank += count - before;
    counters.accepted += count - before;
  }

  /** Brings the state to what it was after this section was accepted; false when it does not follow. */
  replay(section: CommitSection): boolean {
    if (section.firstRank !== this.rank + 1 || section.count === 0) return false;
    for (let row = 0; row < section.count; row++) this.dedupe.add(section.id[row]!);
    const last = section.count - 1;
    this.rank += section.count;
    this.#lastNs = section.ts[last]!;
    this.#lastSourceNs = this.#lastNs - (section.late?.[last] ?? 0);
    return true;
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
function isSound(
  ts: number,
  price: number,
  size: number,
  id: number,
  counters: SequencerCounters,
): boolean {
  if ((size | 0) !== size || size <= 0) {
    if (size === 0) counters.zeroSize += 1;
    else counters.badSize += 1;
    return false;
  }
  if ((price | 0) !== price) {
    if (Math.abs(price) <= TICKS_MAX) counters.offTickPrice += 1;
    else counters.badPrice += 1;
    return false;
  }
  if (!(ts >= 0 && ts < DAY_NS && Math.floor(ts) === ts)) {
    counters.badTime += 1;
    return false;
  }
  if (!(id >= 0 && id <= Number.MAX_SAFE_INTEGER && Math.floor(id) === id)) {
    counters.badId += 1;
    return false;
  }
  return true;
}

function knownSide(side: number, counters: SequencerCounters): number {
  if (side >= -1 && side <= 1) return side;
  counters.sideUnknown += 1;
  return 0;
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
