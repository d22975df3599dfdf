/**
 * Sliding windows of prints, one per cell (a price and a side), all of one length. A cell's volume and
 * trades are those of its prints not older than the window and not used up. Prints lie in one ring in
 * the order of the tape, linked cell by cell; they leave it at its old end, so each is written and
 * dropped once, and memory follows the most prints that ever were in one window. Prints of one cell at
 * one time come and go together and are one entry. A session has fewer than 2^31 of them.
 */

import { longer, unrolled } from './growing-columns.ts';

const PRINTS_MIN = 1_024;
const CELLS_MIN = 128;
const NONE = -1;

export class PrintWindow {
  readonly #windowNs: number;
  /** The ring: an entry's place is its sequence number's low bits. */
  #mask = PRINTS_MIN - 1;
  #ns = new Float64Array(PRINTS_MIN);
  #rank = new Float64Array(PRINTS_MIN);
  #size = new Float64Array(PRINTS_MIN);
  #count = new Int32Array(PRINTS_MIN);
  #cell = new Int32Array(PRINTS_MIN);
  /** The sequence number of the cell's next entry. */
  #next = new Int32Array(PRINTS_MIN);
  #oldest = 0;
  #end = 0;
  /** By cell: lots and prints counted, and the sequence numbers of the first and the last of them. */
  #volume = new Float64Array(CELLS_MIN);
  #trades = new Float64Array(CELLS_MIN);
  #first = new Int32Array(CELLS_MIN).fill(NONE);
  #last = new Int32Array(CELLS_MIN);

  constructor(windowNs: number) {
    this.#windowNs = windowNs;
  }

  /** Forgets all prints; cells from `cellCount` on were not used. */
  clear(cellCount: number): void {
    const count = Math.min(cellCount, this.#volume.length);
    this.#volume.fill(0, 0, count);
    this.#trades.fill(0, 0, count);
    this.#first.fill(NONE, 0, count);
    this.#oldest = 0;
    this.#end = 0;
  }

  /** Counts a print of this cell, and no longer those that are a window's length before it. */
  add(cell: number, ns: number, rank: number, size: number): void {
    this.#dropUntil(ns - this.#windowNs);
    if (cell >= this.#volume.length) this.#growCells(cell + 1);
    this.#volume[cell]! += size;
    this.#trades[cell]! += 1;
    const isEmpty = this.#first[cell] === NONE;
    const last = this.#last[cell]! & this.#mask;
    if (!isEmpty && this.#ns[last] === ns) {
      this.#size[last]! += size;
      this.#count[last]! += 1;
      return;
    }
    if (this.#end - this.#oldest > this.#mask) this.#growRing();
    const sequence = this.#end;
    if (isEmpty) this.#first[cell] = sequence;
    else this.#next[this.#last[cell]! & this.#mask] = sequence;
    this.#last[cell] = sequence;
    const at = sequence & this.#mask;
    this.#ns[at] = ns;
    this.#rank[at] = rank;
    this.#size[at] = size;
    this.#count[at] = 1;
    this.#cell[at] = cell;
    this.#end = sequence + 1;
  }

  /** Lots in the cell's window as of the last print added. */
  volume(cell: number): number {
    return this.#volume[cell]!;
  }

  trades(cell: number): number {
    return this.#trades[cell]!;
  }

  /** Time and rank of the oldest print counted; the cell must have one. */
  firstNs(cell: number): number {
    return this.#ns[this.#first[cell]! & this.#mask]!;
  }

  firstRank(cell: number): number {
    return this.#rank[this.#first[cell]! & this.#mask]!;
  }

  /** The prints of this cell count no more. */
  use(cell: number): void {
    this.#volume[cell] = 0;
    this.#trades[cell] = 0;
    this.#first[cell] = NONE;
  }

  #dropUntil(ns: number): void {
    while (this.#oldest < this.#end && this.#ns[this.#oldest & this.#mask]! <= ns) {
      const at = this.#oldest & this.#mask;
      const cell = this.#cell[at]!;
      // A print that was used up is not its cell's first: that one is newer, or there is none.
      if (this.#first[cell] === this.#oldest) {
        this.#volume[cell]! -= this.#size[at]!;
        this.#trades[cell]! -= this.#count[at]!;
        this.#first[cell] = this.#last[cell] === this.#oldest ? NONE : this.#next[at]!;
      }
      this.#oldest += 1;
    }
  }

  #growRing(): void {
    const before = this.#mask;
    this.#mask = before * 2 + 1;
    const from = this.#oldest;
    const to = this.#end;
    this.#ns = unrolled(this.#ns, new Float64Array(this.#mask + 1), from, to);
    this.#rank = unrolled(this.#rank, new Float64Array(this.#mask + 1), from, to);
    this.#size = unrolled(this.#size, new Float64Array(this.#mask + 1), from, to);
    this.#count = unrolled(this.#count, new Int32Array(this.#mask + 1), from, to);
    this.#cell = unrolled(this.#cell, new Int32Array(this.#mask + 1), from, to);
    this.#next = unrolled(this.#next, new Int32Array(this.#mask + 1), from, to);
  }

  #growCells(cellCount: number): void {
    const count = Math.max(cellCount, this.#volume.length * 2);
    this.#volume = longer(this.#volume, new Float64Array(count));
    this.#trades = longer(this.#trades, new Float64Array(count));
    const first = new Int32Array(count).fill(NONE);
    this.#first = longer(this.#first, first);
    this.#last = longer(this.#last, new Int32Array(count));
  }
}
