/**
 * This node's copy of a shared tape's records: one file per day, byte for byte as in the stream, written behind and
 * never synced. Nothing depends on it, but it makes a start fast, and a stream that lost messages is repaired from it.
 * So the logs of the last sealed days are kept while the stream keeps their records.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { KIB, MIB } from '@tapeloom/core/units';
import type { Clock } from '../../../platform/clock.ts';
import type { Disk, DiskFile } from '../../../platform/disk/disk.ts';
import { logDirectory, logPath } from '../../tape-paths.ts';
import { type LogMark, markPath, writeMark } from './log-mark.ts';

/** How long a record waits in memory at most. */
const FLUSH_EVERY_MS = 200;
/** The mark is written with every n-th flush. */
const MARK_EVERY_FLUSHES = 5;
const FLUSH_BYTES = 256 * KIB;
/** Bytes that may wait for the disk; beyond this, appending waits too. */
const WAITING_BYTES_MAX = 16 * MIB;
/** Logs of sealed days that are kept. */
const KEPT_LOGS = 2;
const KEPT_NAME = /^([1-9]\d{7})\.kept$/;

export interface LocalLogOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly clock: Pick<Clock, 'every'>;
}

interface OpenFile {
  readonly file: Promise<DiskFile>;
  bytes: number;
  mark: LogMark;
}

export class LocalLog implements AsyncDisposable {
  readonly #options: LocalLogOptions;
  readonly #failed = Promise.withResolvers<unknown>();
  readonly #timer: Disposable;
  #open: OpenFile | null = null;
  #buffer = new Uint8Array(FLUSH_BYTES);
  #buffered = 0;
  #waitingBytes = 0;
  #work: Promise<void> = Promise.resolve();
  #flushes = 0;
  #marked = 0;
  #wholeFrom = 0;

  constructor(options: LocalLogOptions) {
    this.#options = options;
    this.#timer = options.clock.every(FLUSH_EVERY_MS, () => this.#tick());
    this.#failed.promise.catch(() => {});
  }

  /** Resolves with the error when the disk fails; otherwise never. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** The open log has its bytes from here on; the earlier ones are still to be filled in. */
  get wholeFrom(): number {
    return this.#wholeFrom;
  }

  /** The beginning of a day's log was filled in. */
  filled(day: UtcDay): void {
    if (this.#open?.mark.day === day) this.#wholeFrom = 0;
  }

  /** Resumes a file that has these bytes, or only those from `wholeFrom` on. */
  resume(bytes: number, mark: LogMark, wholeFrom: number): void {
    const { disk, tapeRoot, dataset } = this.#options;
    this.#openFile(disk.open(logPath(tapeRoot, dataset, mark.day), 'write'), bytes, mark);
    this.#wholeFrom = wholeFrom;
  }

  /** Begins a day; its opening is appended next. */
  begin(day: UtcDay, sequence: number): void {
    const { disk, tapeRoot, dataset } = this.#options;
    this.#flush();
    this.#close();
    const file = this.#queue(() => disk.open(logPath(tapeRoot, dataset, day), 'create'));
    this.#openFile(file, 0, { day, opening: sequence, sequence, records: 0 });
  }

  /** Copies the record. Returns at once, unless the disk is far behind. */
  append(record: Uint8Array, sequence: number): void | Promise<void> {
    const open = this.#open!;
    if (this.#buffered + record.length > this.#buffer.length) this.#flush();
    if (record.length > this.#buffer.length) this.#buffer = new Uint8Array(2 * record.length);
    this.#buffer.set(record, this.#buffered);
    this.#buffered += record.length;
    open.mark = { ...open.mark, sequence, records: open.mark.records + 1 };
    return this.#waitingBytes > WAITING_BYTES_MAX ? this.#work : undefined;
  }

  /** Messages without a record were read up to here. */
  passed(sequence: number): void {
    if (this.#open !== null) this.#open.mark = { ...this.#open.mark, sequence };
  }

  /** Resolves when everything appended is in the file. */
  async flushed(): Promise<void> {
    this.#flush();
    await this.#work;
  }

  /** The day is sealed: its log is kept under another name, and older ones are removed. */
  async retire(day: UtcDay): Promise<void> {
    const { disk, tapeRoot, dataset } = this.#options;
    await this.flushed();
    const path = logPath(tapeRoot, dataset, day);
    const directory = logDirectory(tapeRoot, dataset);
    if ((await disk.stat(path)) !== null) await disk.rename(path, `${directory}/${day}.kept`);
    const names = await disk.list(directory);
    const days = names.flatMap((name) => KEPT_NAME.exec(name)?.[1] ?? []);
    for (const old of days.slice(0, -KEPT_LOGS)) {
      await disk.remove(`${directory}/${old}.kept`);
      await removeIfThere(disk, markPath(tapeRoot, dataset, Number(old) as UtcDay));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    this.#flush();
    this.#mark();
    this.#close();
    await this.#work;
  }

  #openFile(file: Promise<DiskFile>, bytes: number, mark: LogMark): void {
    this.#wholeFrom = 0;
    // The first write reports the failure.
    file.catch(() => {});
    this.#open = { file, bytes, mark };
    this.#marked = mark.sequence;
  }

  #tick(): void {
    this.#flush();
    this.#flushes += 1;
    if (this.#flushes % MARK_EVERY_FLUSHES === 0) this.#mark();
  }

  #flush(): void {
    const open = this.#open;
    if (open === null || this.#buffered === 0) return;
    const bytes = this.#buffer.subarray(0, this.#buffered);
    const at = open.bytes;
    open.bytes += bytes.length;
    this.#buffer = new Uint8Array(FLUSH_BYTES);
    this.#buffered = 0;
    this.#waitingBytes += bytes.length;
    this.#do(async () => {
      await (await open.file).write(bytes, at);
      this.#waitingBytes -= bytes.length;
    });
  }

  #mark(): void {
    const { disk, tapeRoot, dataset } = this.#options;
    const mark = this.#open?.mark;
    if (mark === undefined || mark.sequence === this.#marked || mark.records === 0) return;
    this.#marked = mark.sequence;
    this.#do(() => writeMark(disk, tapeRoot, dataset, mark));
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    this.#do(async () => await (await open.file)[Symbol.asyncDispose]());
  }

  #do(work: () => Promise<void>): void {
    void this.#queue(work).catch(() => {});
  }

  /** Runs work in order; after the first failure nothing runs. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.then(
      () => {},
      (error: unknown) => {
        this.#failed.resolve(error);
        throw error;
      },
    );
    this.#work.catch(() => {});
    return done;
  }
}

async function removeIfThere(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path)) !== null) await disk.remove(path);
}
