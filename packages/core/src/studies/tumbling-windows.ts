/**
 * The volumes of consecutive windows, cell by cell. A window starts with a print and includes the prints of its cell
 * within its length; the next print starts the next window. Every print is in one window, so these sizes need no
 * threshold and can define one.
 */

import { longer } from './growing-columns.ts';
import type { SizeThreshold } from './size-threshold.ts';

const CELLS_MIN = 128;

export class TumblingWindows {
  readonly #windowNs: number;
  readonly #nowNs: Float64Array;
  readonly #threshold: SizeThreshold;
  #startNs = new Float64Array(CELLS_MIN);
  /** 0: the cell has no window. */
  #volume = new Float64Array(CELLS_MIN);

  /** Adds the sizes of ended windows to the threshold; `nowNs` as for `PrintWindow`. */
  constructor(windowNs: number, nowNs: Float64Array, threshold: SizeThreshold) {
    this.#windowNs = windowNs;
    this.#nowNs = nowNs;
    this.#threshold = threshold;
  }

  add(cell: number, size: number): void {
    const ns = this.#nowNs[0]!;
    if (cell >= this.#volume.length) this.#grow(cell + 1);
    const volume = this.#volume[cell]!;
    if (volume !== 0 && ns - this.#startNs[cell]! < this.#windowNs) {
      this.#volume[cell] = volume + size;
      return;
    }
    if (volume !== 0) this.#threshold.add(volume);
    this.#startNs[cell] = ns;
    this.#volume[cell] = size;
  }

  /** The session is over; cells from `cellCount` on were not used. */
  endAll(cellCount: number): void {
    const count = Math.min(cellCount, this.#volume.length);
    for (let cell = 0; cell < count; cell += 1) {
      if (this.#volume[cell] !== 0) this.#threshold.add(this.#volume[cell]!);
      this.#volume[cell] = 0;
    }
  }

  #grow(cellCount: number): void {
    const count = Math.max(cellCount, this.#volume.length * 2);
    this.#startNs = longer(this.#startNs, new Float64Array(count));
    this.#volume = longer(this.#volume, new Float64Array(count));
  }
}
