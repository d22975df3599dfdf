/**
 * The payloads of log records. The opening names the day and carries the feed numbers known from the previous log, and
 * the notes that are still needed. Each commit carries trades in columns, notes of the source, and the watermark
 * (`promise`) that holds after them; the `end` commit's watermark is the next midnight. Columns are views of the record.
 */

//   opening: version u32 · day u32 · promise f64 · dataset · contracts u32 · held u32 ·
//            (version 2: notes u32 · 0 u32) · per contract: symbol · highest number f64 · window bits ·
//            then held trades · then notes
//   commit:  promise f64 · new contracts u32 · sections u32 · held u32 · notes u32 · per new contract:
//            index u32 · 0 u32 · symbol ·
//            per section: index u32 · first rank u32 · rows u32 · flags u32 · first id f64 · ts f64… ·
//            (id f64…, unless they are numbered in a row) · (late f64…, if some are) · price i32… ·
//            size i32… · side i8… · padding to 8 · then held trades · then notes
//   held:    symbol · id f64 · ts f64 · day u32 · price i32 · size i32 · side i32
//
// Held trades belong to a later day. The opening carries all that are held; the log's first commit settles each of
// them: it is a trade in that commit, or held in it again. An opening without notes is of version 1, which earlier
// programs read too. Notes: `logged-note.ts`.

import type { UtcDay } from '@tapeloom/core/numbers';
import { isUtcDay, utcDay } from '@tapeloom/core/utc-day';
import { type LoggedNote, NO_NOTES, noteBytes, readNote, writeNote } from '../notes/logged-note.ts';
import { WINDOW_BYTES } from '../sequencer/dedupe-window.ts';
import type { RecordWriter } from './log-record.ts';
import { PayloadReader } from './payload-reader.ts';

const PLAIN_VERSION = 1;
const NOTES_VERSION = 2;
const NAME_BYTES_MAX = 128;
const HELD_BYTES_MAX = 8 + NAME_BYTES_MAX + 32;
const HAS_IDS = 1;
const HAS_LATE = 2;

export interface Opening {
  readonly dataset: string;
  readonly day: UtcDay;
  /** Nanoseconds since the day's midnight. */
  readonly promiseNs: number;
  readonly contracts: readonly OpeningContract[];
  readonly held: readonly HeldTrade[];
  /** All that still matter: positions, remembered batches oldest first, gaps that reach into the day. */
  readonly notes: readonly LoggedNote[];
}

export interface OpeningContract {
  readonly symbol: string;
  readonly highestId: number;
  readonly windowBits: Uint8Array;
}

export interface Commit {
  /** Nanoseconds since the midnight of the log's day, at most a whole day. */
  readonly promiseNs: number;
  readonly contracts: readonly CommitContract[];
  readonly sections: readonly CommitSection[];
  readonly held: readonly HeldTrade[];
  readonly notes: readonly LoggedNote[];
}

/** A valid trade that waits for its day. */
export interface HeldTrade {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly id: number;
  /** Source time, nanoseconds since the midnight of `day`. */
  readonly ts: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

/** A contract that this log has not named before. */
export interface CommitContract {
  readonly index: number;
  readonly symbol: string;
}

/** New trades of one contract; row i has rank `firstRank + i`. */
export interface CommitSection {
  readonly index: number;
  readonly firstRank: number;
  readonly count: number;
  readonly ts: Float64Array;
  /** The first row's feed number. */
  readonly firstId: number;
  /** Every row's feed number; null when the numbers are consecutive. */
  readonly id: Float64Array | null;
  /** Stamp minus source time; null when no row was late. */
  readonly late: Float64Array | null;
  readonly price: Int32Array;
  readonly size: Int32Array;
  readonly side: Int8Array;
}

export function writeOpening(record: RecordWriter, opening: Opening): void {
  const contractBytes = 8 + NAME_BYTES_MAX + 8 + WINDOW_BYTES;
  const contractsBytes = opening.contracts.length * contractBytes;
  const heldBytes = opening.held.length * HELD_BYTES_MAX;
  record.start(72 + NAME_BYTES_MAX + contractsBytes + heldBytes + bytesOf(opening.notes));
  const hasNotes = opening.notes.length > 0;
  record.uint32(hasNotes ? NOTES_VERSION : PLAIN_VERSION);
  record.uint32(opening.day);
  record.float64(opening.promiseNs);
  record.text(opening.dataset);
  record.uint32(opening.contracts.length);
  record.uint32(opening.held.length);
  if (hasNotes) {
    record.uint32(opening.notes.length);
    record.uint32(0);
  }
  for (const contract of opening.contracts) {
    record.text(contract.symbol);
    record.float64(contract.highestId);
    record.column(contract.windowBits, WINDOW_BYTES);
  }
  for (const trade of opening.held) writeHeld(record, trade);
  for (const note of opening.notes) writeNote(record, note);
}

/** The opening in this payload, or null when it is of an unknown version or not valid. */
export function readOpening(payload: Uint8Array): Opening | null {
  const reader = new PayloadReader(payload);
  const version = reader.uint32();
  if (version !== PLAIN_VERSION && version !== NOTES_VERSION) return null;
  const day = reader.uint32();
  const promiseNs = reader.float64();
  const dataset = reader.text();
  const count = reader.uint32();
  const heldCount = reader.uint32();
  const noteCount = version === NOTES_VERSION ? reader.uint32() : 0;
  if (version === NOTES_VERSION) reader.uint32();
  if (!isUtcDay(day)) return null;
  const contracts: OpeningContract[] = [];
  for (let index = 0; index < count; index++) {
    const symbol = reader.text();
    const highestId = reader.float64();
    contracts.push({ symbol, highestId, windowBits: reader.bytes(WINDOW_BYTES).slice() });
  }
  const held = Array.from({ length: heldCount }, () => readHeld(reader));
  return { dataset, day, promiseNs, contracts, held, notes: readNotes(reader, noteCount) };
}

export function writeCommit(record: RecordWriter, commit: Commit): void {
  let bytesMax =
    24 + commit.contracts.length * (16 + NAME_BYTES_MAX) + commit.held.length * HELD_BYTES_MAX;
  for (const section of commit.sections) bytesMax += 32 + section.count * (8 * 3 + 4 * 2 + 1);
  record.start(bytesMax + bytesOf(commit.notes));
  record.float64(commit.promiseNs);
  record.uint32(commit.contracts.length);
  record.uint32(commit.sections.length);
  record.uint32(commit.held.length);
  record.uint32(commit.notes.length);
  for (const { index, symbol } of commit.contracts) {
    record.uint32(index);
    record.uint32(0);
    record.text(symbol);
  }
  for (const section of commit.sections) {
    record.uint32(section.index);
    record.uint32(section.firstRank);
    record.uint32(section.count);
    record.uint32((section.id === null ? 0 : HAS_IDS) | (section.late === null ? 0 : HAS_LATE));
    record.float64(section.firstId);
    record.column(section.ts, section.count);
    if (section.id !== null) record.column(section.id, section.count);
    if (section.late !== null) record.column(section.late, section.count);
    record.column(section.price, section.count);
    record.column(section.size, section.count);
    record.column(section.side, section.count);
    record.pad();
  }
  for (const trade of commit.held) writeHeld(record, trade);
  for (const note of commit.notes) writeNote(record, note);
}

export function readCommit(payload: Uint8Array): Commit {
  const reader = new PayloadReader(payload);
  const promiseNs = reader.float64();
  const contractCount = reader.uint32();
  const sectionCount = reader.uint32();
  const heldCount = reader.uint32();
  const noteCount = reader.uint32();
  const contracts: CommitContract[] = [];
  for (let at = 0; at < contractCount; at++) {
    const index = reader.uint32();
    reader.uint32();
    contracts.push({ index, symbol: reader.text() });
  }
  const sections: CommitSection[] = [];
  for (let at = 0; at < sectionCount; at++) sections.push(readSection(reader));
  const held: HeldTrade[] = [];
  for (let at = 0; at < heldCount; at++) held.push(readHeld(reader));
  return { promiseNs, contracts, sections, held, notes: readNotes(reader, noteCount) };
}

function bytesOf(notes: readonly LoggedNote[]): number {
  let bytes = 0;
  for (const note of notes) bytes += noteBytes(note);
  return bytes;
}

function readNotes(reader: PayloadReader, count: number): readonly LoggedNote[] {
  if (count === 0) return NO_NOTES;
  const notes: LoggedNote[] = [];
  for (let at = 0; at < count; at++) notes.push(readNote(reader));
  return notes;
}

function writeHeld(record: RecordWriter, trade: HeldTrade): void {
  record.text(trade.symbol);
  record.float64(trade.id);
  record.float64(trade.ts);
  record.uint32(trade.day);
  record.uint32(trade.price);
  record.uint32(trade.size);
  record.uint32(trade.side);
}

function readHeld(reader: PayloadReader): HeldTrade {
  const symbol = reader.text();
  const id = reader.float64();
  const ts = reader.float64();
  const day = utcDay(reader.uint32());
  const price = reader.uint32() | 0;
  const size = reader.uint32();
  const side = reader.uint32() | 0;
  return { symbol, day, id, ts, price, size, side };
}

function readSection(reader: PayloadReader): CommitSection {
  const index = reader.uint32();
  const firstRank = reader.uint32();
  const count = reader.uint32();
  const flags = reader.uint32();
  const firstId = reader.float64();
  const ts = reader.float64s(count);
  const id = (flags & HAS_IDS) === 0 ? null : reader.float64s(count);
  const late = (flags & HAS_LATE) === 0 ? null : reader.float64s(count);
  const price = reader.int32s(count);
  const size = reader.int32s(count);
  const side = reader.int8s(count);
  reader.pad();
  return { index, firstRank, count, ts, firstId, id, late, price, size, side };
}
