/**
 * Merges the trades of a composite's members by (tape time, dataset, symbol, rank). Pure: the same rows and the same
 * window give the same trades, however the rows were cut into batches.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { LOTS_MAX, TICKS_MAX } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { IntakeBatch } from '../../tape/write/intake.ts';

/** Trades of one member that are read and not merged yet. The queues of a composite are in the order of equal times. */
export interface RowQueue {
  /** Ticks and lots of the composite in one of the member's. */
  readonly ticks: number;
  readonly lots: number;
  readonly batch: TradeBatch | null;
  /** The next row. */
  row: number;
  /** Whether the tape has no more rows for now. */
  readonly isDrained: boolean;
}

export interface MergeWindow {
  readonly day: UtcDay;
  /** Earlier trades come too late, and stay out. */
  readonly fromNs: number;
  /** Later trades and those of this time wait. */
  readonly untilNs: number;
  readonly rowsMax: number;
}

/**
 * `done`: everything in the window is merged. `hungry`: the next rows of a member are needed first. `full`: the next
 * trade, at `atNs`, is one too many.
 */
export type MergeResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'hungry'; readonly queue: number }
  | { readonly kind: 'full'; readonly atNs: number };

const DONE: MergeResult = { kind: 'done' };
const CAPACITY_MIN = 64;

/** Appends to `out` and moves the queues on. */
export function mergeRows(
  queues: readonly RowQueue[],
  { day, fromNs, untilNs, rowsMax }: MergeWindow,
  out: MergedRows,
): MergeResult {
  for (;;) {
    let next = -1;
    let nextNs = untilNs;
    for (let index = 0; index < queues.length; index += 1) {
      const queue = queues[index]!;
      const ns = headNs(queue, day, fromNs);
      if (ns === null) return { kind: 'hungry', queue: index };
      if (ns >= nextNs) continue;
      next = index;
      nextNs = ns;
    }
    if (next < 0) return DONE;
    if (out.count >= rowsMax) return { kind: 'full', atNs: nextNs };
    const queue = queues[next]!;
    out.add(queue, nextNs);
    queue.row += 1;
  }
}

/** The time of the queue's next row on the day; Infinity: none on this day; null: unknown. Skips rows that are late. */
function headNs(queue: RowQueue, day: UtcDay, fromNs: number): number | null {
  const { batch } = queue;
  for (; batch !== null && queue.row < batch.count; queue.row += 1) {
    if (batch.day > day) return Number.POSITIVE_INFINITY;
    const ns = batch.ts[queue.row]!;
    if (batch.day === day && ns >= fromNs) return ns;
  }
  return queue.isDrained ? Number.POSITIVE_INFINITY : null;
}

/** Merged trades of one composite and day, as columns. */
export class MergedRows {
  readonly #day: UtcDay;
  count = 0;
  /** Times of trades whose price or size no tape can hold. */
  readonly tooLarge: number[] = [];
  #ts = new Float64Array(CAPACITY_MIN);
  #price = new Float64Array(CAPACITY_MIN);
  #size = new Float64Array(CAPACITY_MIN);
  #side = new Int8Array(CAPACITY_MIN);

  constructor(day: UtcDay) {
    this.#day = day;
  }

  add({ batch, row, ticks, lots }: RowQueue, ns: number): void {
    const price = batch!.price[row]! * ticks;
    const size = batch!.size[row]! * lots;
    if (Math.abs(price) > TICKS_MAX || size > LOTS_MAX) {
      this.tooLarge.push(ns);
      return;
    }
    if (this.count === this.#ts.length) this.#grow();
    const at = this.count;
    this.#ts[at] = ns;
    this.#price[at] = price;
    this.#size[at] = size;
    this.#side[at] = batch!.side[row]!;
    this.count = at + 1;
  }

  /** Numbered from `firstId` on. */
  batch(symbol: string, firstId: number): IntakeBatch {
    const { count } = this;
    const id = new Float64Array(count);
    for (let row = 0; row < count; row += 1) id[row] = firstId + row;
    return {
      ...{ symbol, day: this.#day, count, id },
      ts: this.#ts.subarray(0, count),
      price: this.#price.subarray(0, count),
      size: this.#size.subarray(0, count),
      side: this.#side.subarray(0, count),
    };
  }

  #grow(): void {
    const capacity = this.#ts.length * 2;
    this.#ts = grown(this.#ts, new Float64Array(capacity));
    this.#price = grown(this.#price, new Float64Array(capacity));
    this.#size = grown(this.#size, new Float64Array(capacity));
    this.#side = grown(this.#side, new Int8Array(capacity));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
