/**
 * Sliding windows of prints, one per cell (a price and a side), all of one length. A cell's volume and
 * trades are those of its prints not older than the window and not used up. Prints lie in one ring in
 * the order of the tape, linked cell by cell; they leave it at its old end, so each is written and
 * dropped once, and memory follows the most prints that ever were in one window.
 */

const PRINTS_MIN = 1_024;
const CELLS_MIN = 128;
const NONE = -1;

export class PrintWindow {
  readonly #windowNs: number;
  /** The ring: a print's place is its sequence number's low bits. */
  #mask = PRINTS_MIN - 1;
  #ns = new Float64Array(PRINTS_MIN);
  #rank = new Float64Array(PRINTS_MIN);
  #size = new Int32Array(PRINTS_MIN);
  #cell = new Int32Array(PRINTS_MIN);
  /** The sequence number of the cell's next print. */
  #next = new Float64Array(PRINTS_MIN);
  #oldest = 0;
  #end = 0;
  /** By cell: lots and prints counted, and the sequence numbers of the first and the last of them. */
  #volume = new Float64Array(CELLS_MIN);
  #trades = new Float64Array(CELLS_MIN);
  #first = new Float64Array(CELLS_MIN).fill(NONE);
  #last = new Float64Array(CELLS_MIN);

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
    if (this.#end - this.#oldest > this.#mask) this.#growRing();
    const sequence = this.#end;
    const at = sequence & this.#mask;
    this.#ns[at] = ns;
    this.#rank[at] = rank;
    this.#size[at] = size;
    this.#cell[at] = cell;
    if (this.#first[cell] === NONE) this.#first[cell] = sequence;
    else this.#next[this.#last[cell]! & this.#mask] = sequence;
    this.#last[cell] = sequence;
    this.#volume[cell]! += size;
    this.#trades[cell]! += 1;
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
        this.#trades[cell]! -= 1;
        this.#first[cell] = this.#last[cell] === this.#oldest ? NONE : this.#next[at]!;
      }
      this.#oldest += 1;
    }
  }

  #growRing(): void {
    const before = { ns: this.#ns, rank: this.#rank, size: this.#size, cell: this.#cell };
    const next = this.#next;
    const maskBefore = this.#mask;
    const length = (maskBefore + 1) * 2;
    this.#mask = length - 1;
    this.#ns = new Float64Array(length);
    this.#rank = new Float64Array(length);
    this.#size = new Int32Array(length);
    this.#cell = new Int32Array(length);
    this.#next = new Float64Array(length);
    for (let sequence = this.#oldest; sequence < this.#end; sequence += 1) {
      const from = sequence & maskBefore;
      const to = sequence & this.#mask;
      this.#ns[to] = before.ns[from]!;
      this.#rank[to] = before.rank[from]!;
      this.#size[to] = before.size[from]!;
      this.#cell[to] = before.cell[from]!;
      this.#next[to] = next[from]!;
    }
  }

  #growCells(cellCount: number): void {
    const count = Math.max(cellCount, this.#volume.length * 2);
    this.#volume = grown(this.#volume, count, 0);
    this.#trades = grown(this.#trades, count, 0);
    this.#first = grown(this.#first, count, NONE);
    this.#last = grown(this.#last, count, 0);
  }
}

/** A longer copy; the elements added hold `rest`. */
export function grown(column: Float64Array, length: number, rest: number): Float64Array {
  const longer = new Float64Array(length);
  longer.set(column);
  longer.fill(rest, column.length);
  return longer;
}
