/**
 * This node's copy of a shared tape. Every record passes here once, in stream order, whichever node appended it. It
 * must continue its day's chain; then it is noted (chain end, local log, a sequencer ready to resume) and its trades
 * become visible. Records that the stream repeats, after a start or a repair, are skipped until they continue the known
 * chain. Any other break of the chain proves that the tape was rewritten.
 */

import { crc32 } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import { claimNews } from '../stream/claim-body.ts';
import type { StoredMessage } from '../stream/tape-stream.ts';
import type { LiveDays } from '../write/live-days.ts';
import type { LogEnd } from '../write/log/day-log.ts';
import { type Commit, type Opening, readCommit, readOpening } from '../write/log/log-payload.ts';
import {
  RECORD_HEADER_BYTES,
  type RecordHeader,
  readRecordHeader,
} from '../write/log/log-record.ts';
import type { Sequencer } from '../write/sequencer/sequencer.ts';
import type { LocalLog } from './log/local-log.ts';
import type { LogMark } from './log/log-mark.ts';
import type { DayCheckpoint } from './parts/day-checkpoint.ts';
import { TapeRewrittenError } from './shared-errors.ts';

/** The end of the newest day's chain. */
export interface ChainEnd extends LogEnd {
  readonly day: UtcDay;
  /** The day's last commit is there. */
  readonly isEnded: boolean;
  /** The number of its last record in the stream, as far as known. */
  readonly sequence: number;
}

export interface TapeCopyOptions {
  readonly dataset: string;
  readonly days: LiveDays;
  readonly local: LocalLog;
  /** Replays every record. */
  readonly sequencer: Sequencer;
  /** Null when nothing is known; otherwise the stream may repeat known records first. */
  readonly end: ChainEnd | null;
  readonly mark: LogMark | null;
  /** Whether a day needs nothing more from the stream. */
  readonly isSealed: (day: UtcDay) => boolean;
}

export class TapeCopy {
  readonly days: LiveDays;
  readonly sequencer: Sequencer;
  readonly #options: TapeCopyOptions;
  #end: ChainEnd | null;
  /** The stream repeats known records; true until one continues the chain. */
  #isBehind: boolean;
  /** Records of a sealed day are skipped. */
  #isPassing = false;
  /** The day of the stream's current records; null: unknown. */
  #streamDay: UtcDay | null;
  /** Checksum of the last record skipped since a repair began; null for none. */
  #passedChecksum: number | null = null;
  /** The number behind which the stream is read again after all known messages had been read; null: not rewound. */
  #rewoundTo: number | null = null;
  readonly #openings = new Map<UtcDay, number>();

  constructor(options: TapeCopyOptions) {
    this.#options = options;
    this.days = options.days;
    this.sequencer = options.sequencer;
    this.#end = options.end;
    this.#isBehind = options.end !== null;
    if (options.mark !== null) this.#openings.set(options.mark.day, options.mark.opening);
    this.#streamDay = options.end?.day ?? null;
  }

  get end(): ChainEnd | null {
    return this.#end;
  }

  /** The numbers of the openings seen, by day. */
  get openings(): ReadonlyMap<UtcDay, number> {
    return this.#openings;
  }

  /** Whether records that are noted here are missing in the stream, after it was read to its end. */
  get isAhead(): boolean {
    const { end, mark } = this.#options;
    if (!this.#isBehind || this.#end === null) return false;
    if (this.#passedChecksum !== null) return this.#passedChecksum !== this.#end.checksum;
    if (this.#rewoundTo !== null) return this.#end.sequence > this.#rewoundTo;
    if (end === null) return false;
    return mark === null || end.records > mark.records;
  }

  /** The newest day up to its last record; null for a moment, when that record is noted and not yet visible. */
  get checkpoint(): DayCheckpoint | null {
    const end = this.#end;
    const live = this.days.newest;
    const sequencer = this.sequencer.state;
    if (end === null || live?.day !== end.day || sequencer?.day !== end.day) return null;
    const named = sequencer.lanes.filter(({ index }) => index >= 0);
    const isVisible =
      named.length === live.columns.length &&
      named.every(({ index, rank }) => live.columns[index]?.count === rank);
    if (!isVisible) return null;
    const { day, bytes, records, checksum, sequence, isEnded } = end;
    const contracts = live.columns.map((columns) => ({
      columns,
      count: columns.count,
      highestId: columns.highestId,
    }));
    const { dataset } = this.#options;
    const logEnd = { bytes, records, checksum };
    return { dataset, day, end: logEnd, sequence, isEnded, sequencer, contracts };
  }

  /** Follows a record or claim of another node. */
  follow(stored: StoredMessage): void | Promise<void> {
    if (stored.subject === 'record') return this.#followRecord(stored);
    this.#options.local.passed(stored.sequence);
    if (stored.subject !== 'claim') return;
    const { kind } = claimNews(stored.body);
    // From here on the stream repeats what it had lost.
    if (kind === 'lost') this.rewound(stored.sequence - 1);
    if (kind === 'mended') this.#endRepair(stored.sequence);
  }

  /** Messages behind this number come next; some of them are known. */
  rewound(last: number): void {
    if (!this.#isBehind) this.#rewoundTo = last;
    else if (this.#rewoundTo !== null) this.#rewoundTo = Math.min(this.#rewoundTo, last);
    this.#isBehind = true;
    this.#isPassing = false;
    this.#streamDay = null;
    this.#passedChecksum = null;
  }

  /** This node has appended a day's opening; the caller makes it visible. */
  noteOpening(record: Uint8Array, opening: Opening, sequence: number): void {
    const { local } = this.#options;
    const { checksum } = readRecordHeader(record, 0)!;
    this.#end = {
      day: opening.day,
      bytes: record.length,
      records: 1,
      checksum,
      isEnded: false,
      sequence,
    };
    this.#openings.set(opening.day, sequence);
    this.sequencer.restore(opening);
    local.begin(opening.day, sequence);
    void local.append(record, sequence);
  }

  /** This node has appended a commit, or follows one; the caller makes it visible. */
  noteCommit(record: Uint8Array, commit: Commit, sequence: number): void | Promise<void> {
    const { kind, checksum } = readRecordHeader(record, 0)!;
    const { day, bytes, records } = this.#end!;
    if (!this.sequencer.replay(commit)) {
      throw new TapeRewrittenError('a commit does not follow the one before it', sequence);
    }
    const isEnded = kind === 'end';
    this.#end = {
      day,
      bytes: bytes + record.length,
      records: records + 1,
      checksum,
      isEnded,
      sequence,
    };
    return this.#options.local.append(record, sequence);
  }

  #followRecord({ body, sequence }: StoredMessage): void | Promise<void> {
    // Columns are viewed in place, which requires alignment.
    const record = body.byteOffset % 8 === 0 ? body : body.slice();
    const header = this.#header(record, sequence);
    if (header.kind === 'opening') return this.#followOpening(record, header, sequence);
    if (this.#isPassing) return this.#passOver(header, sequence);
    const end = this.#end;
    if (end === null) {
      throw new TapeRewrittenError('a day goes on whose opening was never there', sequence);
    }
    const isNext = header.sequence === end.records && header.previous === end.checksum;
    const isKnown = this.#streamDay !== end.day || header.sequence < end.records;
    if (!isNext && this.#isBehind && isKnown) return this.#passOver(header, sequence);
    if (!isNext)
      throw new TapeRewrittenError(
        `record ${header.sequence} of ${end.day} does not continue the one before it`,
        sequence,
      );
    if (end.isEnded)
      throw new TapeRewrittenError(`a record follows the end of ${end.day}`, sequence);
    this.#reached();
    const commit = readCommit(record.subarray(RECORD_HEADER_BYTES));
    const noted = this.noteCommit(record, commit, sequence);
    this.days.committed(commit);
    return noted;
  }

  #followOpening(record: Uint8Array, header: RecordHeader, sequence: number): void | Promise<void> {
    const opening = readOpening(record.subarray(RECORD_HEADER_BYTES));
    const { dataset, isSealed } = this.#options;
    if (opening === null || opening.dataset !== dataset || header.sequence !== 0) {
      throw new TapeRewrittenError('an opening is not one of this tape', sequence);
    }
    const { day } = opening;
    const end = this.#end;
    this.#openings.set(day, sequence);
    this.#streamDay = day;
    const isKnown = end !== null && day <= end.day;
    this.#isPassing = (isKnown && day !== end.day) || (!isKnown && isSealed(day));
    if (this.#isPassing) return this.#passOver(header, sequence);
    if (isKnown) {
      if (!this.#isBehind) throw new TapeRewrittenError(`${day} is opened once more`, sequence);
      return this.#passOver(header, sequence);
    }
    if (end !== null && !end.isEnded) {
      throw new TapeRewrittenError(`${day} is opened before ${end.day} has ended`, sequence);
    }
    this.#reached();
    return this.#open(record, opening, sequence);
  }

  async #open(record: Uint8Array, opening: Opening, sequence: number): Promise<void> {
    await this.days.makeRoomFor(opening.day);
    this.noteOpening(record, opening, sequence);
    await this.days.opened(opening);
  }

  #reached(): void {
    this.#isBehind = false;
    this.#rewoundTo = null;
  }

  #passOver({ checksum }: RecordHeader, sequence: number): void {
    this.#passedChecksum = checksum;
    this.#options.local.passed(sequence);
  }

  /** The restored records must have reached the end of what is known here. */
  #endRepair(sequence: number): void {
    if (!this.#isBehind || this.#end === null) return;
    if (this.#passedChecksum !== null && this.#passedChecksum !== this.#end.checksum) {
      throw new TapeRewrittenError('a repair has not put back what was known here', sequence);
    }
    this.#reached();
  }

  #header(record: Uint8Array, sequence: number): RecordHeader {
    const header = readRecordHeader(record, 0);
    const isWhole =
      header !== null &&
      header.kind !== 'closed' &&
      record.length === RECORD_HEADER_BYTES + header.payloadBytes &&
      crc32(record.subarray(RECORD_HEADER_BYTES)) === header.payloadChecksum;
    if (!isWhole) throw new TapeRewrittenError('a record is damaged', sequence);
    return header;
  }
}
