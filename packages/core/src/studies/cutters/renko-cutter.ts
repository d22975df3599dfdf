/** Renko bricks, on a grid that starts at the session's first price. */

// 1. The first brick completes up at first + size or down at first − size, and opens at the first price.
// 2. After an up brick that closed at c, the next completes up at c + size (from c), or down at c − 2 × size (from c −
//    size); after a down brick the mirror image.
// 3. A trade that completes several bricks belongs to the last of them. The forming brick keeps its trades; those
//    between are empty. Each completed brick is one update, in the order of price.
// 4. The bricks that a trade starts are numbered 1, 2, …; the last one it may start extends to the last grid line that
//    the trade passed.
// 5. A forming brick opens at the last brick's close (the first one at the first price) and closes at its last price.
//    It keeps these edges if the session's close ends it.

import type { TradeBatch } from '../../trade-batch.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class RenkoCutter implements BarCutter {
  readonly endNs = Number.POSITIVE_INFINITY;
  readonly #bar: CutBar;
  readonly #size: number;
  readonly #barsPerTradeMax: number;
  #hasBase = false;
  /** Close of the last brick, or the session's first price. */
  #base = 0;
  /** The prices at which the next brick completes. */
  #upAt = 0;
  #downAt = 0;

  constructor(bar: CutBar, size: number, barsPerTradeMax: number) {
    this.#bar = bar;
    this.#size = size;
    this.#barsPerTradeMax = barsPerTradeMax;
  }

  openSession(): void {
    this.#hasBase = false;
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    const bar = this.#bar;
    if (!this.#hasBase) this.#begin(batch.price[from]!);
    let row = from;
    while (row < to) {
      const next = this.#insideUntil(batch.price, row, to);
      if (next > row) {
        if (!bar.forming) this.#start(batch, row, 1, offsetNs);
        bar.addRows(batch, row, next, offsetNs);
      }
      if (next < to) this.#complete(batch, next, offsetNs);
      row = next + 1;
    }
  }

  #begin(price: number): void {
    this.#hasBase = true;
    this.#base = price;
    this.#upAt = price + this.#size;
    this.#downAt = price - this.#size;
  }

  #start(batch: TradeBatch, row: number, n: number, offsetNs: number): void {
    this.#bar.start(batch, row, n, batch.ts[row]! + offsetNs);
    this.#bar.openEdge = this.#base;
  }

  #insideUntil(price: Int32Array, from: number, to: number): number {
    const upAt = this.#upAt;
    const downAt = this.#downAt;
    let row = from;
    while (row < to && price[row]! < upAt && price[row]! > downAt) row += 1;
    return row;
  }

  #complete(batch: TradeBatch, row: number, offsetNs: number): void {
    const bar = this.#bar;
    const ns = batch.ts[row]! + offsetNs;
    const price = batch.price[row]!;
    const up = price >= this.#upAt;
    const stride = up ? this.#size : -this.#size;
    const firstClose = up ? this.#upAt : this.#downAt;
    const furtherCount = Math.floor((price - firstClose) / stride);
    const lastClose = firstClose + furtherCount * stride;
    let open = firstClose - stride;
    let n = 0;
    for (;;) {
      if (!bar.forming) {
        n += 1;
        this.#start(batch, row, n, offsetNs);
      }
      const close = n === this.#barsPerTradeMax ? lastClose : open + stride;
      bar.openEdge = open;
      bar.closeEdge = close;
      if (close === lastClose) break;
      bar.finishBy(batch, row, ns);
      open = close;
    }
    bar.addRows(batch, row, row + 1, offsetNs);
    bar.finish(ns);
    this.#base = lastClose;
    this.#upAt = lastClose + (up ? this.#size : 2 * this.#size);
    this.#downAt = lastClose - (up ? 2 * this.#size : this.#size);
  }
}
