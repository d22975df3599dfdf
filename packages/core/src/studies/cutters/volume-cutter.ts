/**
 * Volume bars: a bar holds exactly `size` lots. A trade that does not fit is split: one part fills the forming bar, the
 * rest starts further bars, numbered 1, 2, …. The last bar that a trade may start takes all the rest and may be larger.
 */

import type { TradeBatch } from '../../trade-batch.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class VolumeCutter implements BarCutter {
  readonly endNs = Number.POSITIVE_INFINITY;
  readonly #bar: CutBar;
  readonly #size: number;
  readonly #barsPerTradeMax: number;
  /** Lots that still fit into the forming bar. */
  #room = 0;

  constructor(bar: CutBar, size: number, barsPerTradeMax: number) {
    this.#bar = bar;
    this.#size = size;
    this.#barsPerTradeMax = barsPerTradeMax;
  }

  openSession(): void {
    this.#room = 0;
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    const bar = this.#bar;
    let row = from;
    while (row < to) {
      if (!bar.forming) {
        bar.start(batch, row, 1, batch.ts[row]! + offsetNs);
        this.#room = this.#size;
      }
      const next = this.#fittingUntil(batch.size, row, to);
      if (next > row) bar.addRows(batch, row, next, offsetNs);
      if (this.#room === 0) {
        bar.finish(batch.ts[next - 1]! + offsetNs);
      } else if (next < to) {
        this.#split(batch, next, offsetNs, this.#room === this.#size);
        row = next + 1;
        continue;
      }
      row = next;
    }
  }

  /** The first row that does not fit or comes after a full bar. The fitting rows are deducted from the room. */
  #fittingUntil(size: Int32Array, from: number, to: number): number {
    let room = this.#room;
    let row = from;
    while (row < to && room > 0 && size[row]! <= room) {
      room -= size[row]!;
      row += 1;
    }
    this.#room = room;
    return row;
  }

  /** `startsBar`: the forming bar is empty, and this trade has just started it. */
  #split(batch: TradeBatch, row: number, offsetNs: number, startsBar: boolean): void {
    const bar = this.#bar;
    const ns = batch.ts[row]! + offsetNs;
    let rest = batch.size[row]!;
    let n = startsBar ? 1 : 0;
    for (;;) {
      const part = n === this.#barsPerTradeMax ? rest : Math.min(rest, this.#room);
      bar.addPart(batch, row, part, offsetNs);
      this.#room -= part;
      rest -= part;
      if (this.#room <= 0) bar.finish(ns);
      if (rest === 0) return;
      n += 1;
      bar.start(batch, row, n, ns);
      this.#room = this.#size;
    }
  }
}
