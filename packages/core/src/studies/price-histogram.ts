/**
 * Volume by price and side of one bar. Memory and the cost of clearing depend on how many prices
 * traded, never on how far apart they lie: a table of cells in which a price is found at its low bits,
 * so that any range narrower than the table has no collisions and works like a plain array; prices
 * that do collide move to a scattered cell. Adding a trade allocates nothing.
 */

import type { TradeBatch } from '../trade-batch.ts';

const CELLS_MIN = 256;
/** A cell is four doubles: volumes in the order of the side, then the price, NaN in an unused cell. */
const CELL = 4;
const BID = 0;
const UNKNOWN = 1;
const ASK = 2;
const PRICE = 3;
/** 2^32 divided by the golden ratio: neighbouring prices land far apart. */
const SCATTER = 0x9e3779b1;

/** Rows of adjacent prices that traded, ascending; the first `count` elements are valid. */
export interface CountedRows {
  count: number;
  /** Lowest price of each row, a multiple of its ticks. */
  price: Float64Array;
  /** What is counted in the row: volume of all sides, or TPOs. */
  total: Float64Array;
  /** Grows along the bar: the trade that brought the row to its total. */
  touched: Float64Array;
}

export interface PriceRows extends CountedRows {
  /** Ticks per row. */
  readonly group: number;
  bid: Float64Array;
  ask: Float64Array;
  unknown: Float64Array;
  /** Lowest and highest price that traded; NaN when none did. */
  low: number;
  high: number;
}

export class PriceHistogram {
  #mask = CELLS_MIN - 1;
  #cells = unusedCells(CELLS_MIN);
  #touched = new Float64Array(CELLS_MIN);
  /** The cells in use, in the order they were first touched: half of all at most. */
  #used = new Int32Array(CELLS_MIN / 2);
  #usedCount = 0;
  #sequence = 0;
  /** The prices in use, ascending: found anew only when there are more than last time. */
  #sorted = new Int32Array(CELLS_MIN / 2);
  #sortedCount = 0;
  readonly #rows: PriceRows;

  constructor(group: number) {
    this.#rows = {
      count: 0,
      group,
      low: Number.NaN,
      high: Number.NaN,
      ...rowColumns(CELLS_MIN / 2),
    };
  }

  clear(): void {
    for (let index = 0; index < this.#usedCount; index += 1) {
      const at = this.#used[index]! * CELL;
      this.#cells[at + BID] = 0;
      this.#cells[at + UNKNOWN] = 0;
      this.#cells[at + ASK] = 0;
      this.#cells[at + PRICE] = Number.NaN;
    }
    this.#usedCount = 0;
    this.#sortedCount = 0;
    this.#sequence = 0;
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    const { price, size, side } = batch;
    const before = this.#sequence + 1 - from;
    let cells = this.#cells;
    let touched = this.#touched;
    let mask = this.#mask;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      let cell = ticks & mask;
      if (cells[cell * CELL + PRICE] !== ticks) {
        cell = this.#claim(ticks);
        cells = this.#cells;
        touched = this.#touched;
        mask = this.#mask;
      }
      const at = cell * CELL + UNKNOWN + side[row]!;
      cells[at] = cells[at]! + size[row]!;
      touched[cell] = before + row;
    }
    this.#sequence += to - from;
  }

  add(price: number, size: number, side: number): void {
    const cell = this.#claim(price);
    this.#cells[cell * CELL + UNKNOWN + side]! += size;
    this.#sequence += 1;
    this.#touched[cell] = this.#sequence;
  }

  /** The rows as they stand; valid until the next call. */
  rows(): PriceRows {
    const rows = this.#rows;
    const count = this.#usedCount;
    if (rows.price.length < count) Object.assign(rows, rowColumns(this.#used.length));
    const sorted = this.#sortedPrices();
    rows.count = 0;
    rows.low = sorted[0] ?? Number.NaN;
    rows.high = sorted[count - 1] ?? Number.NaN;
    for (let index = 0; index < count; index += 1) this.#gather(rows, sorted[index]!);
    return rows;
  }

  #sortedPrices(): Int32Array {
    const count = this.#usedCount;
    if (this.#sorted.length < count) this.#sorted = new Int32Array(this.#used.length);
    const sorted = this.#sorted.subarray(0, count);
    if (this.#sortedCount === count) return sorted;
    for (let index = 0; index < count; index += 1) {
      sorted[index] = this.#cells[this.#used[index]! * CELL + PRICE]!;
    }
    this.#sortedCount = count;
    return sorted.sort();
  }

  /** Adds the next higher price to the last row or to a new one. */
  #gather(rows: PriceRows, ticks: number): void {
    const cell = this.#claim(ticks);
    const at = cell * CELL;
    const rowPrice = Math.floor(ticks / rows.group) * rows.group;
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
    rows.bid[row]! += this.#cells[at + BID]!;
    rows.ask[row]! += this.#cells[at + ASK]!;
    rows.unknown[row]! += this.#cells[at + UNKNOWN]!;
    rows.total[row] = rows.bid[row]! + rows.ask[row]! + rows.unknown[row]!;
    rows.touched[row] = Math.max(rows.touched[row]!, this.#touched[cell]!);
  }

  /** The cell of this price, taken into use if it was not. */
  #claim(ticks: number): number {
    let cell = ticks & this.#mask;
    let found = this.#cells[cell * CELL + PRICE]!;
    if (found !== ticks && !Number.isNaN(found)) {
      cell = (Math.imul(ticks, SCATTER) >>> 7) & this.#mask;
      found = this.#cells[cell * CELL + PRICE]!;
      while (found !== ticks && !Number.isNaN(found)) {
        cell = (cell + 1) & this.#mask;
        found = this.#cells[cell * CELL + PRICE]!;
      }
    }
    if (found === ticks) return cell;
    if (this.#usedCount === this.#used.length) {
      this.#grow();
      return this.#claim(ticks);
    }
    this.#cells[cell * CELL + PRICE] = ticks;
    this.#used[this.#usedCount] = cell;
    this.#usedCount += 1;
    return cell;
  }

  #grow(): void {
    const cells = this.#cells;
    const touched = this.#touched;
    const used = this.#used;
    const count = (this.#mask + 1) * 2;
    this.#mask = count - 1;
    this.#cells = unusedCells(count);
    this.#touched = new Float64Array(count);
    this.#used = new Int32Array(count / 2);
    this.#usedCount = 0;
    for (const old of used) {
      const cell = this.#claim(cells[old * CELL + PRICE]!);
      this.#cells.set(cells.subarray(old * CELL, old * CELL + PRICE), cell * CELL);
      this.#touched[cell] = touched[old]!;
    }
  }
}

function unusedCells(count: number): Float64Array {
  const cells = new Float64Array(count * CELL);
  for (let at = PRICE; at < cells.length; at += CELL) cells[at] = Number.NaN;
  return cells;
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
