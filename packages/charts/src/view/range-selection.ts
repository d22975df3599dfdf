/** The bars that a reader drags over: columns [from, to). */

import type { ColumnRange } from '../scene/scene-types.ts';

export class RangeSelection {
  /** The column that stays while the other end moves; both are included. */
  #fixed = 0;
  #moving = 0;
  #isSet = false;
  #isOpen = false;

  get columns(): ColumnRange | null {
    if (!this.#isSet) return null;
    return {
      from: Math.min(this.#fixed, this.#moving),
      to: Math.max(this.#fixed, this.#moving) + 1,
    };
  }

  /** One end has been set by a key; the crosshair moves the other. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** `isOpen`: it grows with the crosshair until it is closed. */
  begin(column: number, isOpen = false): void {
    this.#fixed = column;
    this.#moving = column;
    this.#isSet = true;
    this.#isOpen = isOpen;
  }

  /** Takes one of its edges. */
  take(edge: 'from' | 'to'): void {
    const range = this.columns;
    if (range === null) return;
    [this.#fixed, this.#moving] =
      edge === 'from' ? [range.to - 1, range.from] : [range.from, range.to - 1];
  }

  extend(column: number): void {
    this.#moving = column;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** After bars were put in front. A range whose bars have gone ends. */
  shift(columns: number, count: number): void {
    this.#fixed += columns;
    this.#moving += columns;
    const range = this.columns;
    if (range !== null && (range.from < 0 || range.to > count)) this.clear();
  }

  clear(): void {
    this.#isSet = false;
    this.#isOpen = false;
  }
}
