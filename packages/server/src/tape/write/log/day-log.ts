/**
 * Writes one day's log. One record is one write and one sync, and the next write starts only after that
 * sync, so at most the last record of a log can be torn. The first failure ends the log for good: after a failed sync
 * the state of the disk is unknown, so nothing is retried.
 */

import { type Disk, type DiskFile, UNFINISHED_SUFFIX } from '../../../platform/disk/disk.ts';
import { TapeFailedError } from '../../tape-errors.ts';
import { type Commit, type Opening, writeCommit, writeOpening } from './log-payload.ts';
import { type RecordKind, RecordWriter } from './log-record.ts';

/** Where a log ends: what the next record continues. */
export interface LogEnd {
  /** Size of the file up to the last whole record. */
  readonly bytes: number;
  readonly records: number;
  /** The last record's checksum. */
  readonly checksum: number;
}

export class DayLog implements AsyncDisposable {
  readonly path: string;
  readonly #file: DiskFile;
  /** Two alternate, so the last record can still be read while the next is being written. */
  readonly #records = [new RecordWriter(), new RecordWriter()] as const;
  #end: LogEnd;
  #failure: TapeFailedError | null = null;
  #busy = false;

  private constructor(path: string, file: DiskFile, end: LogEnd) {
    this.path = path;
    this.#file = file;
    this.#end = end;
  }

  /** Creates a log. When this resolves, the log is on disk under its name, with its opening record. */
  static async create(disk: Disk, path: string, opening: Opening): Promise<DayLog> {
    const unfinished = path + UNFINISHED_SUFFIX;
    const file = await disk.open(unfinished, 'create');
    const log = new DayLog(path, file, { bytes: 0, records: 0, checksum: 0 });
    try {
      writeOpening(log.#record, opening);
      await log.#append('opening');
      await disk.rename(unfinished, path);
      await disk.syncDirectory(path.slice(0, path.lastIndexOf('/')));
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
    return log;
  }

  /** Resumes at the end that recovery found. */
  static async resume(disk: Disk, path: string, end: LogEnd): Promise<DayLog> {
    return new DayLog(path, await disk.open(path, 'write'), end);
  }

  get bytes(): number {
    return this.#end.bytes;
  }

  /**
   * Starts to append. The commit is encoded before this returns, so its columns may be reused. Calls `onSyncing` when
   * only the sync is left. Resolves when the record is on disk, with its bytes, valid until the next append but one.
   */
  async append(
    kind: 'commit' | 'end',
    commit: Commit,
    onSyncing?: () => void,
  ): Promise<Uint8Array> {
    this.#take();
    writeCommit(this.#record, commit);
    return this.#append(kind, onSyncing);
  }

  /** Marks a clean shutdown. */
  async close(): Promise<void> {
    this.#take();
    this.#record.start(0);
    await this.#append('closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }

  get #record(): RecordWriter {
    return this.#records[this.#end.records % 2 === 0 ? 0 : 1];
  }

  #take(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#busy) throw new Error('a log takes one record at a time');
  }

  async #append(kind: RecordKind, onSyncing?: () => void): Promise<Uint8Array> {
    const { bytes, records, checksum } = this.#end;
    const record = this.#record;
    const next = record.finish(kind, records, checksum, bytes);
    const written = record.bytes;
    this.#busy = true;
    try {
      await this.#file.write(written, bytes);
      const syncing = this.#file.sync();
      onSyncing?.();
      await syncing;
    } catch (error) {
      this.#failure = new TapeFailedError(error);
      throw this.#failure;
    }
    this.#busy = false;
    this.#end = { bytes: bytes + written.length, records: records + 1, checksum: next };
    return written;
  }
}
