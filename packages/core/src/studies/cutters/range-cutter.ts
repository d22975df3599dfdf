/**
 * Range bars: a bar's high − low never exceeds `size`. A trade that would exceed it ends the bar by an update of its
 * own and starts the next one, however far the price jumped.
 */

import type { TradeBatch } from '../../trade-batch.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class RangeCutter implements BarCutter {
  readonly endNs = Number.POSITIVE_INFINITY;
  readonly #bar: CutBar;
  readonly #size: number;
  #high = 0;
  #low = 0;

  constructor(bar: CutBar, size: number) {
    this.#bar = bar;
    this.#size = size;
  }

  openSession(): void {}

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    const bar = this.#bar;
    let row = from;
    while (row < to) {
      if (!bar.forming) {
        bar.start(batch, row, 0, batch.ts[row]! + offsetNs);
        this.#high = batch.price[row]!;
        this.#low = this.#high;
      }
      const next = this.#insideUntil(batch.price, row, to);
      if (next > row) bar.addRows(batch, row, next, offsetNs);
      if (next < to) bar.finishBy(batch, next, batch.ts[next]! + offsetNs);
      row = next;
    }
  }

  #insideUntil(price: Int32Array, from: number, to: number): number {
    let high = this.#high;
    let low = this.#low;
    let row = from;
    for (; row < to; row += 1) {
      const ticks = price[row]!;
      if (ticks > high) {
        if (ticks - low > this.#size) break;
        high = ticks;
      } else if (ticks < low) {
        if (high - ticks > this.#size) break;
        low = ticks;
      }
    }
    this.#high = high;
    this.#low = low;
    return row;
  }
}
