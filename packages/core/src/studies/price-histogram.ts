/**
 * Volume by price and side of one bar. Prices lie in a window of cells, each price at its low bits: a trade is added
 * without a search and read without sorting. The window grows with the traded prices up to a limit; prices beyond it
 * are stored one by one, so memory and time never follow a gap. Small trades are first summed in 32-bit integers
 * (`small-lots.ts`) and moved to doubles before they can overflow; large ones go to doubles at once.
 */

import type { TradeBatch } from '../trade-batch.ts';
import { ScatteredVolumes } from './scattered-volumes.ts';
import { SMALL_LOTS_MAX, SMALL_ROWS_MAX, spanOf } from './small-lots.ts';

const WINDOW_MIN = 128;
const WINDOW_MAX = 8_192;
/** A cell is four numbers: lots by side, then the last trade that touched it. */
const CELL = 4;
const BID = 0;
const UNKNOWN = 1;
const ASK = 2;
const TOUCHED = 3;

/** Rows of prices that traded, ascending; the first `count` elements are valid. */
export interface CountedRows {
  count: number;
  /** Lowest price of each row, a multiple of its ticks. */
  price: Float64Array;
  /** The total of the row: volume of all sides, or TPOs. */
  total: Float64Array;
  /** The trade that brought the row to its total, as a number that grows along the bar. */
  touched: Float64Array;
}

export interface PriceRows extends CountedRows {
  /** Ticks per row. */
  readonly group: number;
  bid: Float64Array;
  ask: Float64Array;
  unknown: Float64Array;
  /** Lowest and highest price that traded; NaN if none did. */
  low: number;
  high: number;
}

export class PriceHistogram {
  /** The window; empty while `#high` is less than `#low`. All cells outside it are 0. */
  #low = 0;
  #high = -1;
  #mask = WINDOW_MIN - 1;
  /** Small trades since the last spill. `TOUCHED` counts from there; 0: not since. */
  #small = new Int32Array(WINDOW_MIN * CELL);
  /** Everything before that, and large trades; unused while `#hasWhole` is false. */
  #whole = new Float64Array(WINDOW_MIN * CELL);
  #hasWhole = false;
  /** Trades of the bar so far, and at the last spill. */
  #sequence = 0;
  #spilled = 0;
  /** Prices that did not fit into the window; since it only grows, they never will. */
  readonly #beyond = new ScatteredVolumes();
  readonly #rows: PriceRows;

  constructor(group: number) {
    this.#rows = {
      count: 0,
      group,
      low: Number.NaN,
      high: Number.NaN,
      ...rowColumns(WINDOW_MIN),
    };
  }

  clear(): void {
    for (let price = this.#low; price <= this.#high; price += 1) {
      const at = (price & this.#mask) * CELL;
      zeroCell(this.#small, at);
      if (this.#hasWhole) zeroCell(this.#whole, at);
    }
    this.#low = 0;
    this.#high = -1;
    this.#hasWhole = false;
    this.#sequence = 0;
    this.#spilled = 0;
    if (this.#beyond.count > 0) this.#beyond.clear();
  }

  /** A caller that knows the span of the rows saves a pass over them. */
  addRows(batch: TradeBatch, from: number, to: number, span = spanOf(batch, from, to)): void {
    if (from === to) return;
    const { price, size, side } = batch;
    if (span.lots > SMALL_LOTS_MAX || !this.#covers(span.low, span.high)) {
      for (let row = from; row < to; row += 1) this.add(price[row]!, size[row]!, side[row]!);
      return;
    }
    for (let row = from; row < to; row += SMALL_ROWS_MAX) {
      this.#addSmall(batch, row, Math.min(row + SMALL_ROWS_MAX, to));
    }
  }

  add(price: number, size: number, side: number): void {
    this.#sequence += 1;
    if (!this.#covers(price, price)) {
      this.#beyond.add(price, size, side, this.#sequence);
      return;
    }
    const at = (price & this.#mask) * CELL;
    this.#whole[at + UNKNOWN + side]! += size;
    this.#whole[at + TOUCHED] = this.#sequence;
    this.#hasWhole = true;
  }

  /** The current rows; valid until the next call. */
  rows(): PriceRows {
    const rows = this.#rows;
    const countMax = this.#high - this.#low + 1 + this.#beyond.count;
    if (rows.price.length < countMax) Object.assign(rows, rowColumns(2 * countMax));
    rows.count = 0;
    rows.low = Number.NaN;
    rows.high = Number.NaN;
    if (this.#beyond.count === 0) {
      this.#gatherWindow(rows);
      return rows;
    }
    let isWindowDone = false;
    this.#beyond.visit((price, bid, ask, unknown, touched) => {
      if (price > this.#high && !isWindowDone) {
        this.#gatherWindow(rows);
        isWindowDone = true;
      }
      gather(rows, price, bid, ask, unknown, touched);
    });
    if (!isWindowDone) this.#gatherWindow(rows);
    return rows;
  }

  /** Small trades inside the window, no more than may be summed in integers. */
  #addSmall({ price, size, side }: TradeBatch, from: number, to: number): void {
    if (this.#sequence - this.#spilled + to - from > SMALL_ROWS_MAX) this.#spill();
    const cells = this.#small;
    const mask = this.#mask;
    const before = (this.#sequence - this.#spilled + 1 - from) | 0;
    for (let row = from; row < to; row += 1) {
      const at = (price[row]! & mask) * CELL;
      const lots = at + UNKNOWN + side[row]!;
      cells[lots] = (cells[lots]! + size[row]!) | 0;
      cells[at + TOUCHED] = (before + row) | 0;
    }
    this.#sequence += to - from;
  }

  /** Extends the window to these prices; false if it would become too wide. */
  #covers(low: number, high: number): boolean {
    if (low >= this.#low && high <= this.#high) return true;
    const isEmpty = this.#high < this.#low;
    const newLow = isEmpty ? low : Math.min(low, this.#low);
    const newHigh = isEmpty ? high : Math.max(high, this.#high);
    if (newHigh - newLow >= WINDOW_MAX) return false;
    if (newHigh - newLow > this.#mask) this.#grow(newHigh - newLow + 1);
    this.#low = newLow;
    this.#high = newHigh;
    return true;
  }

  #spill(): void {
    for (let price = this.#low; price <= this.#high; price += 1) {
      const at = (price & this.#mask) * CELL;
      const touched = this.#small[at + TOUCHED]!;
      if (touched === 0) continue;
      for (let side = BID; side <= ASK; side += 1)
        this.#whole[at + side]! += this.#small[at + side]!;
      this.#whole[at + TOUCHED] = this.#touchedAt(at);
      zeroCell(this.#small, at);
    }
    this.#hasWhole = true;
    this.#spilled = this.#sequence;
  }

  #touchedAt(at: number): number {
    const touched = this.#small[at + TOUCHED]!;
    return Math.max(this.#whole[at + TOUCHED]!, touched === 0 ? 0 : this.#spilled + touched);
  }

  #gatherWindow(rows: PriceRows): void {
    const small = this.#small;
    const whole = this.#whole;
    for (let price = this.#low; price <= this.#high; price += 1) {
      const at = (price & this.#mask) * CELL;
      const touched = this.#touchedAt(at);
      if (touched === 0) continue;
      const bid = small[at + BID]! + whole[at + BID]!;
      const ask = small[at + ASK]! + whole[at + ASK]!;
      const unknown = small[at + UNKNOWN]! + whole[at + UNKNOWN]!;
      gather(rows, price, bid, ask, unknown, touched);
    }
  }

  #grow(width: number): void {
    const small = this.#small;
    const whole = this.#whole;
    const mask = this.#mask;
    while (this.#mask < width - 1) this.#mask = this.#mask * 2 + 1;
    this.#small = new Int32Array((this.#mask + 1) * CELL);
    this.#whole = new Float64Array((this.#mask + 1) * CELL);
    for (let price = this.#low; price <= this.#high; price += 1) {
      const from = (price & mask) * CELL;
      const at = (price & this.#mask) * CELL;
      this.#small.set(small.subarray(from, from + CELL), at);
      this.#whole.set(whole.subarray(from, from + CELL), at);
    }
  }
}

function zeroCell(cells: Int32Array | Float64Array, at: number): void {
  for (let part = 0; part < CELL; part += 1) cells[at + part] = 0;
}

/** Adds the next higher price to the last row or to a new one. */
function gather(
  rows: PriceRows,
  price: number,
  bid: number,
  ask: number,
  unknown: number,
  touched: number,
): void {
  if (rows.count === 0) rows.low = price;
  rows.high = price;
  const rowPrice = rows.group === 1 ? price : Math.floor(price / rows.group) * rows.group;
  let row = rows.count - 1;
  if (row < 0 || rows.price[row] !== rowPrice) {
    row += 1;
    rows.count = row + 1;
    rows.price[row] = rowPrice;
    rows.bid[row] = 0;
    rows.ask[row] = 0;
    rows.unknown[row] = 0;
    rows.touched[row] = 0;
  }
  rows.bid[row]! += bid;
  rows.ask[row]! += ask;
  rows.unknown[row]! += unknown;
  rows.total[row] = rows.bid[row]! + rows.ask[row]! + rows.unknown[row]!;
  rows.touched[row] = Math.max(rows.touched[row]!, touched);
}

function rowColumns(capacity: number) {
  const column = () => new Float64Array(capacity);
  return {
    price: column(),
    bid: column(),
    ask: column(),
    unknown: column(),
    total: column(),
    touched: column(),
  };
}
