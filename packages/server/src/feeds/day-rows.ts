/** The trades of one UTC day as columns that grow, in the order of the file until they are put in the order of time. */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';

const ROWS_FIRST = 1_024;
const GROWTH = 1.5;

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
    if (row === this.ts.length) this.#grow();
    if (row > 0 && ns < this.ts[row - 1]!) this.#isAscending = false;
    this.ts[row] = ns;
    this.price[row] = price;
    this.size[row] = size;
    this.side[row] = side;
    this.count = row + 1;
  }

  /** In the order of time; trades of one time stay in the order of the file. Whether anything moved. */
  sort(): boolean {
    if (this.#isAscending) return false;
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
    this.#isAscending = true;
    return true;
  }

  #grow(): void {
    const capacity = Math.ceil(this.ts.length * GROWTH);
    const { ts, price, size, side } = this;
    this.ts = new Float64Array(capacity);
    this.ts.set(ts);
    this.price = new Int32Array(capacity);
    this.price.set(price);
    this.size = new Int32Array(capacity);
    this.size.set(size);
    this.side = new Int8Array(capacity);
    this.side.set(side);
  }
}
