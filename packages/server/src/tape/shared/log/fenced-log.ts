/**
 * The leader's log of a shared tape: a record is durable once the stream has stored it, and only then enters this
 * node's copy. One record is in flight at a time; the first failure ends the log.
 */

import { MIB } from '@tapeloom/core/units';
import type { FencedWriter } from '../../stream/fenced-writer.ts';
import {
  type Commit,
  type Opening,
  readCommit,
  writeCommit,
  writeOpening,
} from '../../write/log/log-payload.ts';
import { RECORD_HEADER_BYTES, RecordWriter } from '../../write/log/log-record.ts';
import type { TapeLog } from '../../write/log/tape-log.ts';
import { COMMIT_ROWS_MAX } from '../../write/sequencer/sequencer.ts';
import type { TapeCopy } from '../tape-copy.ts';

/** Bytes of a commit's row at most, and bytes reserved for the rest of its record. */
const ROW_BYTES_MAX = 33;
const REST_BYTES = MIB;
const COMMIT_ROWS_MIN = 1_024;

/** The rows of a commit that fit into a message. */
export function commitRowsMax(bodyBytesMax: number): number {
  const rows = Math.floor((bodyBytesMax - REST_BYTES) / ROW_BYTES_MAX);
  return Math.max(COMMIT_ROWS_MIN, Math.min(COMMIT_ROWS_MAX, rows));
}

export interface FencedLogOptions {
  readonly writer: Pick<FencedWriter, 'append'>;
  readonly copy: TapeCopy;
  /** Appends the messages that the stream needs before a day opens. */
  readonly beforeOpening: () => Promise<void>;
}

export class FencedLog implements TapeLog {
  readonly #options: FencedLogOptions;
  /** Two alternate, so the last record can still be read while the next is in flight. */
  readonly #records = [new RecordWriter(), new RecordWriter()] as const;
  #turn = 0;

  constructor(options: FencedLogOptions) {
    this.#options = options;
  }

  async begin(opening: Opening): Promise<void> {
    const { writer, copy, beforeOpening } = this.#options;
    await beforeOpening();
    const record = this.#nextRecord();
    writeOpening(record, opening);
    record.finish('opening', 0, 0, 0);
    const sequence = await writer.append('record', record.bytes);
    copy.noteOpening(record.bytes, opening, sequence);
  }

  append(kind: 'commit' | 'end', commit: Commit, onSyncing?: () => void): Promise<Uint8Array> {
    const { writer, copy } = this.#options;
    const { records, checksum, bytes } = copy.end!;
    const record = this.#nextRecord();
    writeCommit(record, commit);
    record.finish(kind, records, checksum, bytes);
    const written = record.bytes;
    const storing = writer.append('record', written);
    onSyncing?.();
    return storing.then(async (sequence) => {
      const noting = copy.noteCommit(
        written,
        readCommit(written.subarray(RECORD_HEADER_BYTES)),
        sequence,
      );
      if (noting !== undefined) await noting;
      return written;
    });
  }

  /** The tape continues without this node: nothing marks that it stopped. */
  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #nextRecord(): RecordWriter {
    this.#turn = 1 - this.#turn;
    return this.#records[this.#turn]!;
  }
}
