/**
 * Reads a day's log back, record by record, exactly as it was appended. A crash may tear the end of a log; it is then
 * cut back to the last whole record. Anything else that breaks the chain is damage: it is rejected with file, offset
 * and record number, and never repaired.
 */

import { crc32 } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import type { Disk, DiskFile } from '../../../platform/disk/disk.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { LogEnd } from './day-log.ts';
import { type Commit, type Opening, readCommit, readOpening } from './log-payload.ts';
import {
  countEmptySectors,
  isEmpty,
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  type RecordHeader,
  readRecordHeader,
  sectorEnd,
} from './log-record.ts';

const WINDOW_BYTES = 8 * MIB;
const NOTHING_KNOWN: KnownLog = {
  end: { bytes: 0, records: 0, checksum: 0 },
  promiseNs: 0,
  ended: false,
};

export interface LogVisitor {
  opening(opening: Opening): void;
  /** False when the commit cannot follow the state before it. Its columns are valid during this call only. */
  commit(commit: Commit): boolean;
}

export interface LogRecovery {
  readonly end: LogEnd;
  /** The last watermark, nanoseconds since the midnight of the log's day. */
  readonly promiseNs: number;
  /** The day has ended: the watermark of the last commit is the next midnight. */
  readonly ended: boolean;
  /** The log was closed by a clean shutdown and not written since. */
  readonly closed: boolean;
  /** Bytes of a torn record after the end; 0 for a whole log. */
  readonly tornBytes: number;
}

/** Reads the whole log and changes nothing. Rejects with `TapeDamagedError`. */
export async function readLog(disk: Disk, path: string, visitor: LogVisitor): Promise<LogRecovery> {
  const size = (await disk.stat(path))?.size ?? 0;
  await using file = await disk.open(path, 'read');
  return await new LogReader(file, path, size).run(visitor);
}

/** The known state of a log at one of its records. */
export type KnownLog = Pick<LogRecovery, 'end' | 'promiseNs' | 'ended'>;

/** Reads an unsynced log to the first record that is not whole, and cuts off the rest. Null without a whole opening. */
export async function recoverUnsynced(
  disk: Disk,
  path: string,
  visitor: LogVisitor,
  known?: KnownLog,
): Promise<LogRecovery | null> {
  const size = (await disk.stat(path))?.size ?? 0;
  await using file = await disk.open(path, 'write');
  const recovery = await new LogReader(file, path, size, known).runSound(visitor);
  if (recovery !== null && recovery.tornBytes > 0) await file.truncate(recovery.end.bytes);
  return recovery;
}

/** Reads the whole log, cuts off a torn end and makes sure that the rest is on disk. */
export async function recoverLog(
  disk: Disk,
  path: string,
  visitor: LogVisitor,
): Promise<LogRecovery> {
  const size = (await disk.stat(path))?.size ?? 0;
  await using file = await disk.open(path, 'write');
  const reader = new LogReader(file, path, size);
  const recovery = await reader.run(visitor);
  if (recovery.tornBytes > 0) await file.truncate(recovery.end.bytes);
  // The last record may have been read from the page cache although its sync failed. Writing the same bytes again, in
  // place, makes them durable.
  if (!recovery.closed)
    await file.write(reader.lastRecord, recovery.end.bytes - reader.lastRecord.length);
  if (recovery.tornBytes > 0 || !recovery.closed) await file.sync();
  return recovery;
}

class LogReader {
  /** The last whole record, as it is in the file. */
  lastRecord: Uint8Array = new Uint8Array(0);
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #size: number;
  #window = new Uint8Array(0);
  #windowStart = 0;
  #end: LogEnd;
  #promiseNs: number;
  #ended: boolean;
  #closed = false;

  constructor(file: DiskFile, path: string, size: number, known: KnownLog = NOTHING_KNOWN) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
    this.#end = known.end;
    this.#promiseNs = known.promiseNs;
    this.#ended = known.ended;
  }

  async run(visitor: LogVisitor): Promise<LogRecovery> {
    await this.#readRecords(visitor);
    if (this.#size > this.#end.bytes) await this.#assertTorn();
    if (this.#end.records === 0) throw this.#damaged('the log has no opening');
    return this.#recovery;
  }

  /** Stops at the first record that is not whole, whatever follows it. */
  async runSound(visitor: LogVisitor): Promise<LogRecovery | null> {
    try {
      await this.#readRecords(visitor);
    } catch (error) {
      if (!(error instanceof TapeDamagedError)) throw error;
    }
    return this.#end.records === 0 ? null : this.#recovery;
  }

  async #readRecords(visitor: LogVisitor): Promise<void> {
    while (this.#end.bytes < this.#size) {
      // A busy day has millions of records: no await for a record that is already in memory.
      if (!this.#holds(RECORD_HEADER_BYTES)) await this.#load(RECORD_HEADER_BYTES);
      const header = this.#readHeader();
      if (header === null) break;
      const length = RECORD_HEADER_BYTES + header.payloadBytes;
      if (!this.#holds(length)) await this.#load(length);
      const payload = this.#readPayload(header, length);
      if (payload === null) break;
      this.#visit(header, payload, visitor);
      this.lastRecord = this.#held(length);
      const bytes = this.#end.bytes + length;
      this.#end = { bytes, records: this.#end.records + 1, checksum: header.checksum };
    }
  }

  get #recovery(): LogRecovery {
    const tornBytes = this.#size - this.#end.bytes;
    return {
      end: this.#end,
      promiseNs: this.#promiseNs,
      ended: this.#ended,
      closed: this.#closed && tornBytes === 0,
      tornBytes,
    };
  }

  /** The next record's header if it is sound and continues the chain. */
  #readHeader(): RecordHeader | null {
    const header = readRecordHeader(this.#held(RECORD_HEADER_BYTES), 0);
    if (header === null) return null;
    if (header.sequence !== this.#end.records || header.previous !== this.#end.checksum) {
      throw this.#damaged('a record does not continue the one before it');
    }
    return header;
  }

  #readPayload(header: RecordHeader, length: number): Uint8Array | null {
    const record = this.#held(length);
    if (record.length < length) return null;
    const payload = record.subarray(RECORD_HEADER_BYTES);
    return crc32(payload) === header.payloadChecksum ? payload : null;
  }

  #visit(header: RecordHeader, payload: Uint8Array, visitor: LogVisitor): void {
    if ((header.kind === 'opening') !== (header.sequence === 0)) {
      throw this.#damaged('the opening is not where it belongs');
    }
    if (this.#ended && header.kind !== 'closed') throw this.#damaged('a record follows the end');
    this.#closed = header.kind === 'closed';
    if (header.kind === 'closed') return;
    try {
      if (header.kind === 'opening') this.#visitOpening(payload, visitor);
      else this.#visitCommit(payload, visitor);
    } catch (error) {
      throw error instanceof RangeError ? this.#damaged('a record cannot be read', error) : error;
    }
    this.#ended = header.kind === 'end';
  }

  #visitOpening(payload: Uint8Array, visitor: LogVisitor): void {
    const opening = readOpening(payload);
    if (opening === null) throw this.#damaged('the log is of a version this program does not know');
    this.#promiseNs = opening.promiseNs;
    visitor.opening(opening);
  }

  #visitCommit(payload: Uint8Array, visitor: LogVisitor): void {
    const commit = readCommit(payload);
    this.#promiseNs = commit.promiseNs;
    if (!visitor.commit(commit)) throw this.#damaged('a commit does not follow the one before it');
  }

  /** Throws unless a torn write can have left everything after the last whole record. */
  async #assertTorn(): Promise<void> {
    const tailBytes = this.#size - this.#end.bytes;
    if (this.#end.records === 0) throw this.#damaged('the opening is damaged');
    if (tailBytes > RECORD_HEADER_BYTES + PAYLOAD_BYTES_MAX) {
      throw this.#damaged('a damaged record is followed by more than one write can leave');
    }
    if (!this.#holds(tailBytes)) await this.#load(tailBytes);
    const tail = this.#held(tailBytes);
    for (let offset = 8; offset + RECORD_HEADER_BYTES <= tail.length; offset += 8) {
      if (readRecordHeader(tail, offset) !== null) {
        throw this.#damaged('a damaged record is followed by a whole one');
      }
    }
    if (!isTorn(tail, this.#end.bytes)) throw this.#damaged('a record is damaged');
  }

  /** Whether `count` bytes after the last whole record are in memory. */
  #holds(count: number): boolean {
    return this.#end.bytes - this.#windowStart + count <= this.#window.length;
  }

  /** These bytes; fewer at the end of the file. */
  #held(count: number): Uint8Array {
    const at = this.#end.bytes - this.#windowStart;
    return this.#window.subarray(at, at + count);
  }

  async #load(count: number): Promise<void> {
    const position = this.#end.bytes;
    const wanted = Math.min(Math.max(count, WINDOW_BYTES), this.#size - position);
    if (wanted === this.#window.length - (position - this.#windowStart)) return;
    const window = new Uint8Array(wanted);
    const read = await this.#file.read(window, position);
    this.#window = window.subarray(0, read);
    this.#windowStart = position;
  }

  #damaged(what: string, cause?: unknown): TapeDamagedError {
    const { bytes, records } = this.#end;
    return new TapeDamagedError(what, { file: this.#path, offset: bytes, record: records }, cause);
  }
}

/**
 * Whether a torn write of one record explains these last bytes of a log. One record is one write and is synced before
 * the next. So nothing follows a torn one, and its missing bytes are past the end of the file or whole sectors of
 * zeros. A flipped bit leaves neither, even in the last record.
 */
function isTorn(tail: Uint8Array, position: number): boolean {
  if (tail.length < RECORD_HEADER_BYTES) return true;
  const header = readRecordHeader(tail, 0);
  if (header === null) {
    // The header lies in one sector or two; one of these never reached the disk.
    const edge = Math.min(sectorEnd(position) - position, tail.length);
    if (isEmpty(tail, 0, edge)) return true;
    const nextEdge = Math.min(sectorEnd(position + edge) - position, tail.length);
    return edge < RECORD_HEADER_BYTES && isEmpty(tail, edge, nextEdge);
  }
  if (tail.length !== RECORD_HEADER_BYTES + header.payloadBytes) {
    return tail.length < RECORD_HEADER_BYTES + header.payloadBytes;
  }
  const payload = tail.subarray(RECORD_HEADER_BYTES);
  return countEmptySectors(payload, position + RECORD_HEADER_BYTES) > header.emptySectors;
}
