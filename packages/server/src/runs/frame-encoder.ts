/**
 * Collects the messages of one flush as bytes, each encoded once and without its opening up to `sub`:
 * what is here is the same for every subscriber. The bytes own their memory, so that they can move to
 * another thread without a copy.
 */

import type { FrameEntry } from '../topics/flush.ts';

export interface EncodedFlush {
  readonly entries: readonly FrameEntry[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class FrameEncoder {
  #texts: string[] = [];
  #entries: FrameEntry[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** One message: `members` is the JSON text of what follows its cursor. */
  add(about: Pick<FrameEntry, 'kind' | 'id' | 'final' | 'cursor'>, members: string): void {
    const text = `,"cursor":"${about.cursor}",${members}}`;
    const start = this.#bytes;
    const end = start + Buffer.byteLength(text);
    this.#texts.push(text);
    this.#entries.push({ ...about, start, end });
    this.#bytes = end;
  }

  /** Hands over what was collected and starts afresh. */
  take(): EncodedFlush {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const text of this.#texts) at += bytes.write(text, at);
    const flush = { entries: this.#entries, bytes };
    this.#texts = [];
    this.#entries = [];
    this.#bytes = 0;
    return flush;
  }
}
