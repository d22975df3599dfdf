/** Flushes put one after another into one page; the page's bytes own their memory, so that they can move. */

import type { FrameEntry } from '../topics/flush.ts';
import type { EncodedFlush } from './frame-encoder.ts';

export class PageFrames {
  #pieces: Uint8Array[] = [];
  #entries: FrameEntry[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the messages of a flush, from the one with this number on. */
  add({ entries, bytes }: EncodedFlush, from = 0): void {
    const first = entries[from];
    if (first === undefined) return;
    const shift = this.#bytes - first.start;
    for (let at = from; at < entries.length; at += 1) {
      const entry = entries[at]!;
      this.#entries.push({ ...entry, start: entry.start + shift, end: entry.end + shift });
    }
    this.#pieces.push(bytes.subarray(first.start));
    this.#bytes = this.#entries.at(-1)!.end;
  }

  /** Hands over what was collected and starts afresh. */
  take(): EncodedFlush {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const page = { entries: this.#entries, bytes };
    this.#pieces = [];
    this.#entries = [];
    this.#bytes = 0;
    return page;
  }
}
