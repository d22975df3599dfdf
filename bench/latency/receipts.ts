/**
 * What connections of one topic have received, and when. Times are those at which the bytes were handed to this process, so its own
 * delay is part of every latency.
 */

import { CursorReader } from '../replay/cursor-reader.ts';
import { monotonicMs } from '../shared/stream-wire.ts';

/** The cursors of a topic, and which of them was received when. */
export interface Receipts {
  readonly cursors: readonly string[];
  readonly cursorIndexes: readonly number[];
  readonly receivedMs: readonly number[];
  /** Of all these messages together. */
  readonly bytes: number;
}

export class TopicReceipts implements Receipts {
  readonly cursors: string[] = [];
  readonly cursorIndexes: number[] = [];
  readonly receivedMs: number[] = [];
  bytes = 0;
  readonly #indexes = new Map<string, number>();
  #nowMs = 0;

  /** Notes what is read on one connection. */
  reader(): CursorReader {
    return new CursorReader((cursor) => this.#add(cursor));
  }

  /** What a connection of this reader has been sent, all of it at this moment. */
  take(reader: CursorReader, chunk: Buffer): void {
    this.#nowMs = monotonicMs();
    if (reader.hasSnapshot) this.bytes += chunk.length;
    reader.take(chunk);
  }

  #add(cursor: string): void {
    let index = this.#indexes.get(cursor);
    if (index === undefined) {
      index = this.cursors.length;
      this.#indexes.set(cursor, index);
      this.cursors.push(cursor);
    }
    this.cursorIndexes.push(index);
    this.receivedMs.push(this.#nowMs);
  }
}
