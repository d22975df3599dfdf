/** Tick bars: a bar ends with its `size`-th trade. */

import type { TradeBatch } from '../../trade-batch.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class TickCutter implements BarCutter {
  readonly endNs = Number.POSITIVE_INFINITY;
  readonly #bar: CutBar;
  readonly #size: number;
  #trades = 0;

  constructor(bar: CutBar, size: number) {
    this.#bar = bar;
    this.#size = size;
  }

  openSession(): void {
    this.#trades = 0;
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    let row = from;
    while (row < to) {
      if (this.#trades === 0) this.#bar.start(batch, row, 0, batch.ts[row]! + offsetNs);
      const next = Math.min(to, row + this.#size - this.#trades);
      this.#bar.addRows(batch, row, next, offsetNs);
      this.#trades += next - row;
      if (this.#trades === this.#size) {
        this.#bar.finish(batch.ts[next - 1]! + offsetNs);
        this.#trades = 0;
      }
      row = next;
    }
  }
}
