/** The trades of one UTC day as growing columns, in file order until they are sorted by time. */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { freeMemory } from '../platform/memory/free-memory.ts';

const ROWS_FIRST = 1_024;
const GROWTH = 2;
/** Files are nearly sorted: while rows move by less than this on average, insertion sort is fastest. */
const MOVES_PER_ROW_MAX = 8;

type Columns = Pick<TradeBatch, 'count' | 'ts' | 'price' | 'size' | 'side'>;
/** With fewer trades, all may well be of one side. */
const ONE_SIDED_TRADES_MIN = 200;

export class DayRows implements TradeBatch {
  readonly day: UtcDay;
  readonly firstRank = 1 as Rank;
  count = 0;
  ts = new Float64Array(ROWS_FIRST);
  price = new Int32Array(ROWS_FIRST);
  size = new Int32Array(ROWS_FIRST);
  side = new Int8Array(ROWS_FIRST);
  #isAscending = true;

  constructor(day: UtcDay) {
    this.day = day;
  }

  add(ns: number, price: number, size: number, side: number): void {
    const row = this.count;
    if (row === this.ts.length) this.#grow(row + 1);
    if (row > 0 && ns < this.ts[row - 1]!) this.#isAscending = false;
    this.ts[row] = ns;
    this.price[row] = price;
    this.size[row] = size;
    this.side[row] = side;
    this.count = row + 1;
  }

  /** Makes space for rows after the last one, which `addPlaced` then takes up. */
  makeRoom(rows: number): void {
    if (this.count + rows > this.ts.length) this.#grow(this.count + rows);
  }

  /** Takes up trades [from, to) whose prices and sizes were already written after the last row. */
  addPlaced(ns: Float64Array, sides: Int8Array, from: number, to: number): void {
    const { ts, side } = this;
    const shift = this.count - from;
    let last = this.count === 0 ? 0 : ts[this.count - 1]!;
    let isAscending = this.#isAscending;
    for (let index = from; index < to; index += 1) {
      const time = ns[index]!;
      if (time < last) isAscending = false;
      last = time;
      ts[index + shift] = time;
      side[index + shift] = sides[index]!;
    }
    this.#isAscending = isAscending;
    this.count = to + shift;
  }

  append({ count, ts, price, size, side }: Columns): void {
    if (count === 0) return;
    const from = this.count;
    if (from + count > this.ts.length) this.#grow(from + count);
    this.ts.set(ts.subarray(0, count), from);
    this.price.set(price.subarray(0, count), from);
    this.size.set(size.subarray(0, count), from);
    this.side.set(side.subarray(0, count), from);
    for (let row = Math.max(from, 1); row < from + count && this.#isAscending; row += 1) {
      if (this.ts[row]! < this.ts[row - 1]!) this.#isAscending = false;
    }
    this.count = from + count;
  }

  /** Sorts by time; trades of equal time stay in file order. Returns whether anything moved. */
  sort(): boolean {
    if (this.#isAscending) return false;
    if (!this.#moveBack()) this.#sortAll();
    this.#isAscending = true;
    return true;
  }

  /** Insertion sort; false when that takes too many moves, with some rows moved. */
  #moveBack(): boolean {
    const { ts, price, size, side, count } = this;
    let moves = count * MOVES_PER_ROW_MAX;
    for (let row = 1; row < count; row += 1) {
      const ns = ts[row]!;
      if (ns >= ts[row - 1]!) continue;
      let to = row - 1;
      while (to > 0 && ts[to - 1]! > ns) to -= 1;
      moves -= row - to;
      if (moves < 0) return false;
      const [ticks, lots, aggressor] = [price[row]!, size[row]!, side[row]!];
      for (const column of [ts, price, size, side]) column.copyWithin(to + 1, to, row);
      ts[to] = ns;
      price[to] = ticks;
      size[to] = lots;
      side[to] = aggressor;
    }
    return true;
  }

  #sortAll(): void {
    const { ts, price, size, side, count } = this;
    const order = new Uint32Array(count);
    for (let row = 0; row < count; row += 1) order[row] = row;
    order.sort((a, b) => ts[a]! - ts[b]! || a - b);
    this.ts = new Float64Array(count);
    this.price = new Int32Array(count);
    this.size = new Int32Array(count);
    this.side = new Int8Array(count);
    for (let row = 0; row < count; row += 1) {
      const from = order[row]!;
      this.ts[row] = ts[from]!;
      this.price[row] = price[from]!;
      this.size[row] = size[from]!;
      this.side[row] = side[from]!;
    }
  }

  free(): void {
    for (const { buffer } of [this.ts, this.price, this.size, this.side]) freeMemory(buffer);
    this.count = 0;
  }

  #grow(rows: number): void {
    const capacity = Math.max(Math.ceil(this.ts.length * GROWTH), rows);
    const { ts, price, size, side } = this;
    this.ts = new Float64Array(capacity);
    this.ts.set(ts);
    this.price = new Int32Array(capacity);
    this.price.set(price);
    this.size = new Int32Array(capacity);
    this.size.set(size);
    this.side = new Int8Array(capacity);
    this.side.set(side);
    for (const { buffer } of [ts, price, size, side]) freeMemory(buffer);
  }
}

/** Whether there are many trades of one side only: the file's sides may be wrong. */
export function isOneSided({ side, count }: Pick<DayRows, 'side' | 'count'>): boolean {
  if (count < ONE_SIDED_TRADES_MIN || side[0] === 0) return false;
  for (let row = 1; row < count; row += 1) if (side[row] !== side[0]) return false;
  return true;
}
