/** Delta bars: a bar ends with the trade that brings its |delta| to `size` or beyond. Trades are not split. */

import type { TradeBatch } from '../../trade-batch.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class DeltaCutter implements BarCutter {
  readonly endNs = Number.POSITIVE_INFINITY;
  readonly #bar: CutBar;
  readonly #size: number;
  #delta = 0;

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
        this.#delta = 0;
      }
      const next = this.#throughReach(batch, row, to);
      bar.addRows(batch, row, next, offsetNs);
      if (Math.abs(this.#delta) >= this.#size) bar.finish(batch.ts[next - 1]! + offsetNs);
      row = next;
    }
  }

  /** The row after the one that reaches the size; `to` if none does. */
  #throughReach(batch: TradeBatch, from: number, to: number): number {
    const { size, side } = batch;
    const limit = this.#size;
    let delta = this.#delta;
    let row = from;
    while (row < to && delta < limit && delta > -limit) {
      delta += size[row]! * side[row]!;
      row += 1;
    }
    this.#delta = delta;
    return row;
  }
}
