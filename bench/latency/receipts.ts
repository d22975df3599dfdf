/**
 * What the connections of one topic received, and when. A receipt is timed when this process gets
 * its bytes, so the process's own delay is part of every latency.
 */

import { CursorReader } from '../replay/cursor-reader.ts';
import { monotonicMs } from '../shared/stream-wire.ts';

/** The distinct cursors of a topic; `cursorIndexes` and `receivedMs` are parallel, per receipt. */
export interface Receipts {
  readonly cursors: readonly string[];
  readonly cursorIndexes: readonly number[];
  readonly receivedMs: readonly number[];
  /** Bytes of all these messages together. */
  readonly bytes: number;
}

export class TopicReceipts implements Receipts {
  readonly cursors: string[] = [];
  readonly cursorIndexes: number[] = [];
  readonly receivedMs: number[] = [];
  bytes = 0;
  readonly #indexes = new Map<string, number>();
  #nowMs = 0;

  /** A reader that records the updates of one connection. */
  reader(): CursorReader {
    return new CursorReader((cursor) => this.#add(cursor));
  }

  /** Takes a chunk of a reader's connection; all of it counts as received now. */
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
