/**
 * Sliding windows of prints, one per cell (a price and a side), all of one length. A cell counts its prints that are
 * within the window and not used up. Prints are in one ring in tape order, each written and dropped once. Consecutive
 * prints of a cell at one time are one entry. Entries link back within their cell: the oldest is found by one walk when
 * a window is used up. A session has fewer than 2^31 entries.
 */

import { longer } from './growing-columns.ts';

const ENTRIES_MIN = 1_024;
const CELLS_MIN = 128;

/** An entry is eight doubles, two of them unused. */
const ENTRY = 8;
const NS = 0;
const RANK = 1;
const LOTS = 2;
const PRINTS = 3;
const CELL = 4;
/** Sequence number of the cell's previous entry. */
const PREVIOUS = 5;

/** A cell is four doubles: lots and prints counted, and two sequence numbers. */
const RECORD = 4;
const VOLUME = 0;
const TRADES = 1;
/** The cell's newest entry; -1 if there never was one. */
const LAST = 2;
/** Entries from here on are not used up. */
const FROM = 3;

export class PrintWindow {
  readonly #windowNs: number;
  /** One element: a double passed as an argument may be allocated on the heap each time. */
  readonly #nowNs: Float64Array;
  /** A ring: an entry's index is its sequence number's low bits. */
  #entries = new Float64Array(ENTRIES_MIN * ENTRY);
  #mask = ENTRIES_MIN - 1;
  #oldest = 0;
  #end = 0;
  #cells = blankCells(CELLS_MIN);

  /** `nowNs` holds, in its one element, the time of the print being added. */
  constructor(windowNs: number, nowNs: Float64Array) {
    this.#windowNs = windowNs;
    this.#nowNs = nowNs;
  }

  /** Forgets all prints; cells from `cellCount` on were not used. */
  clear(cellCount: number): void {
    const count = Math.min(cellCount, this.#cells.length / RECORD);
    this.#cells.set(blankCells(count));
    this.#oldest = 0;
    this.#end = 0;
  }

  /** Counts prints of this cell at one time; `rank` is the first of them. */
  add(cell: number, rank: number, lots: number, prints: number): void {
    const ns = this.#nowNs[0]!;
    const record = cell * RECORD;
    if (record >= this.#cells.length) this.#growCells(cell + 1);
    if (this.#isFull()) this.#dropOld();
    if (this.#isFull()) this.#growRing();
    const cells = this.#cells;
    const entries = this.#entries;
    cells[record + VOLUME]! += lots;
    cells[record + TRADES]! += prints;
    const last = cells[record + LAST]!;
    const lastAt = (last & this.#mask) * ENTRY;
    if (entries[lastAt + NS] === ns && last >= cells[record + FROM]! && last >= this.#oldest) {
      entries[lastAt + LOTS]! += lots;
      entries[lastAt + PRINTS]! += prints;
      return;
    }
    const at = (this.#end & this.#mask) * ENTRY;
    entries[at + NS] = ns;
    entries[at + RANK] = rank;
    entries[at + LOTS] = lots;
    entries[at + PRINTS] = prints;
    entries[at + CELL] = cell;
    entries[at + PREVIOUS] = last;
    cells[record + LAST] = this.#end;
    this.#end += 1;
  }

  /**
   * Whether the cell's window holds these lots. Old prints are dropped, all at once, only if it seems to: until then
   * they can only make the count too large.
   */
  reaches(cell: number, lots: number): boolean {
    if (this.volume(cell) < lots) return false;
    this.#dropOld();
    return this.volume(cell) >= lots;
  }

  /** Lots in the cell's window, after `reaches` returned true. */
  volume(cell: number): number {
    return this.#cells[cell * RECORD + VOLUME]!;
  }

  trades(cell: number): number {
    return this.#cells[cell * RECORD + TRADES]!;
  }

  /**
   * Uses up the prints of this cell, after `reaches` returned true. Returns the index of the oldest one, valid for
   * `nsAt` and `rankAt` until the next print is added.
   */
  use(cell: number): number {
    const record = cell * RECORD;
    const cells = this.#cells;
    const from = Math.max(cells[record + FROM]!, this.#oldest);
    let at = (cells[record + LAST]! & this.#mask) * ENTRY;
    while (this.#entries[at + PREVIOUS]! >= from) {
      at = (this.#entries[at + PREVIOUS]! & this.#mask) * ENTRY;
    }
    cells[record + VOLUME] = 0;
    cells[record + TRADES] = 0;
    cells[record + FROM] = this.#end;
    return at;
  }

  nsAt(place: number): number {
    return this.#entries[place + NS]!;
  }

  rankAt(place: number): number {
    return this.#entries[place + RANK]!;
  }

  #isFull(): boolean {
    return this.#end - this.#oldest > this.#mask;
  }

  #dropOld(): void {
    const ns = this.#nowNs[0]! - this.#windowNs;
    const cells = this.#cells;
    const entries = this.#entries;
    const end = this.#end;
    let oldest = this.#oldest;
    while (oldest < end) {
      const at = (oldest & this.#mask) * ENTRY;
      if (entries[at + NS]! > ns) break;
      const record = entries[at + CELL]! * RECORD;
      if (oldest >= cells[record + FROM]!) {
        cells[record + VOLUME]! -= entries[at + LOTS]!;
        cells[record + TRADES]! -= entries[at + PRINTS]!;
      }
      oldest += 1;
    }
    this.#oldest = oldest;
  }

  #growRing(): void {
    const before = this.#entries;
    const maskBefore = this.#mask;
    this.#mask = maskBefore * 2 + 1;
    this.#entries = new Float64Array(before.length * 2);
    for (let sequence = this.#oldest; sequence < this.#end; sequence += 1) {
      const from = (sequence & maskBefore) * ENTRY;
      this.#entries.set(before.subarray(from, from + ENTRY), (sequence & this.#mask) * ENTRY);
    }
  }

  #growCells(cellCount: number): void {
    const count = Math.max(cellCount, (this.#cells.length / RECORD) * 2);
    this.#cells = longer(this.#cells, blankCells(count));
  }
}

function blankCells(count: number): Float64Array<ArrayBuffer> {
  const cells = new Float64Array(count * RECORD);
  for (let at = LAST; at < cells.length; at += RECORD) cells[at] = -1;
  return cells;
}
