/**
 * The log of who appends to a shared tape: a record is durable once the stream has stored it, and only then it is noted in this
 * machine's copy. One record is on its way at a time; the first that is not stored ends the log.
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

/** What a row of a commit takes at most, and what is left for the rest of its record. */
const ROW_BYTES_MAX = 33;
const REST_BYTES = MIB;
const COMMIT_ROWS_MIN = 1_024;

/** The rows of a commit that a message has room for. */
export function commitRowsMax(bodyBytesMax: number): number {
  const rows = Math.floor((bodyBytesMax - REST_BYTES) / ROW_BYTES_MAX);
  return Math.max(COMMIT_ROWS_MIN, Math.min(COMMIT_ROWS_MAX, rows));
}

export interface FencedLogOptions {
  readonly writer: Pick<FencedWriter, 'append'>;
  readonly copy: TapeCopy;
  /** What has to be in the stream before a day opens. */
  readonly beforeOpening: () => Promise<void>;
}

export class FencedLog implements TapeLog {
  readonly #options: FencedLogOptions;
  /** Two in turn: what was stored last can be read while the next is on its way. */
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

  /** The tape goes on without this machine: nothing marks that it stopped. */
  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #nextRecord(): RecordWriter {
    this.#turn = 1 - this.#turn;
    return this.#records[this.#turn]!;
  }
}
