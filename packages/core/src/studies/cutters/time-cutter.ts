/**
 * Time bars: bar n covers [open + n × size, open + (n + 1) × size) of the session; the session's close shortens the
 * last one. A bar ends by the clock. Its closing update belongs to the last tape entry before its end, whether a
 * watermark or a later trade revealed the end.
 */

import { firstRowAt, type TradeBatch } from '../../trade-batch.ts';
import { SECOND_NS } from '../../units.ts';
import type { StudySession } from '../study.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';

export class TimeCutter implements BarCutter {
  readonly #bar: CutBar;
  readonly #sizeNs: number;
  #openNs = 0;
  #endNs = 0;

  constructor(bar: CutBar, sizeSeconds: number) {
    this.#bar = bar;
    this.#sizeNs = sizeSeconds * SECOND_NS;
  }

  get endNs(): number {
    return this.#endNs;
  }

  openSession(session: StudySession): void {
    this.#openNs = session.openNs;
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    const bar = this.#bar;
    let row = from;
    while (row < to) {
      if (!bar.forming) {
        const startNs = this.#startOf(batch.ts[row]! + offsetNs);
        this.#endNs = startNs + this.#sizeNs;
        bar.start(batch, row, 0, startNs);
      }
      const next = firstRowAt(batch.ts, row, to, this.#endNs - offsetNs);
      bar.addRows(batch, row, next, offsetNs);
      if (next < to) bar.finishBy(batch, next - 1, this.#endNs);
      row = next;
    }
  }

  /** The quotient is far below 2^22, so rounding cannot move it up to a bar that has not begun. */
  #startOf(ns: number): number {
    const sinceOpenNs = ns - this.#openNs;
    if (sinceOpenNs < this.#sizeNs) return this.#openNs;
    return this.#openNs + Math.floor(sinceOpenNs / this.#sizeNs) * this.#sizeNs;
  }
}
