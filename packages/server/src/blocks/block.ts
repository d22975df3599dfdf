/**
 * A piece of a study's log: updates of one UTC day in cursor order, as columns and text in one piece of memory. The
 * ring of a topic, a replay, a cached day, a page and an export are all ranges of blocks. So an update is encoded once
 * and never parsed again. A finished block never changes.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';

export type UpdateKind = 'upsert' | 'remove' | 'snapshot';

/** The begin of a line, up to the point where a stream inserts the subscription's name. */
export const OPENINGS: Readonly<Record<UpdateKind, string>> = {
  upsert: '{"t":"upsert"',
  remove: '{"t":"remove"',
  snapshot: '{"t":"snapshot"',
};
const KINDS: readonly UpdateKind[] = ['upsert', 'remove', 'snapshot'];
const FINAL = 1;
/** The text before and after an object's id; neither can occur inside a JSON string. */
const BEFORE_ID = '"id":"';
const AFTER_ID = '","final":';
/** Bytes per update, besides its text. */
export const COLUMN_BYTES = 8 + 3 * 4 + 1;

/** A block in transfer between threads: `memory` is its only buffer. */
export interface BlockParts {
  readonly day: UtcDay;
  readonly count: number;
  readonly memory: ArrayBuffer;
}

/**
 * Layout of the memory: `fromNs` (float64 each) · `ends`, `ranks`, `ks` (uint32 each) · `flags` (uint8 each) · text.
 * The text is NDJSON: a line per update, `{"t":"upsert"|"remove","cursor":…,"id":…,"final":…,"ts":…[,"data":…]}` and a
 * line feed. A snapshot's line has `"items"` after the cursor.
 */
export class Block implements BlockParts {
  readonly day: UtcDay;
  readonly count: number;
  readonly memory: ArrayBuffer;
  /**
   * The first nanosecond T of the day for which position(T) includes the update; for published updates the edge of
   * their flush. Never decreases; at most the length of a day.
   */
  readonly fromNs: Float64Array<ArrayBuffer>;
  /** The end of each line, including its line feed. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly ranks: Uint32Array<ArrayBuffer>;
  readonly ks: Uint32Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  readonly text: Uint8Array<ArrayBuffer>;

  constructor({ day, count, memory }: BlockParts) {
    this.day = day;
    this.count = count;
    this.memory = memory;
    this.fromNs = new Float64Array(memory, 0, count);
    this.ends = new Uint32Array(memory, 8 * count, count);
    this.ranks = new Uint32Array(memory, 12 * count, count);
    this.ks = new Uint32Array(memory, 16 * count, count);
    this.flags = new Uint8Array(memory, 20 * count, count);
    this.text = new Uint8Array(memory, COLUMN_BYTES * count);
  }

  /** The parts to transfer to another thread; after the transfer the block is empty. */
  get parts(): BlockParts {
    const { day, count, memory } = this;
    return { day, count, memory };
  }

  kind(at: number): UpdateKind {
    return KINDS[this.flags[at]! >> 1]!;
  }

  isFinal(at: number): boolean {
    return (this.flags[at]! & FINAL) === FINAL;
  }

  cursor(at: number): Cursor {
    return { day: this.day, rank: this.ranks[at]! as Rank, k: this.ks[at]! };
  }

  cursorText(at: number): string {
    return formatCursor(this.cursor(at));
  }

  /** The id of an update's object as in its text; a snapshot has none. */
  idText(at: number): string {
    if (this.kind(at) === 'snapshot') return '';
    const start = this.start(at);
    const offset = this.text.byteOffset + start;
    const line = Buffer.from(this.memory, offset, this.ends[at]! - start);
    const from = line.indexOf(BEFORE_ID) + BEFORE_ID.length;
    return line.toString('latin1', from, line.indexOf(AFTER_ID, from));
  }

  /** The index of the last final update; -1 when there is none. */
  get lastFinal(): number {
    return this.flags.findLastIndex((flags) => (flags & FINAL) === FINAL);
  }

  /** When the last update became known; for a flush, its edge. */
  get lastEdge(): EpochNs {
    return epochNs(this.day, this.fromNs[this.count - 1]!);
  }

  /** The offset of an update's text. */
  start(at: number): number {
    return at === 0 ? 0 : this.ends[at - 1]!;
  }

  /** The number of updates up to and including a cursor. */
  countUpTo({ day, rank, k }: Cursor): number {
    if (day !== this.day) return this.day < day ? this.count : 0;
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isAfter =
        this.ranks[middle]! > rank || (this.ranks[middle] === rank && this.ks[middle]! > k);
      if (isAfter) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The number of updates known at `ns` of the day. */
  countKnownAt(ns: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.fromNs[middle]! <= ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The updates in [first, end) in memory of their own; this block itself when these are all. */
  slice(first: number, end = this.count): Block {
    if (first === 0 && end === this.count) return this;
    const start = this.start(first);
    const text = this.text.subarray(start, end === 0 ? 0 : this.ends[end - 1]);
    const part = emptyBlock(this.day, end - first, text.length);
    part.fromNs.set(this.fromNs.subarray(first, end));
    for (let at = first; at < end; at += 1) part.ends[at - first] = this.ends[at]! - start;
    part.ranks.set(this.ranks.subarray(first, end));
    part.ks.set(this.ks.subarray(first, end));
    part.flags.set(this.flags.subarray(first, end));
    part.text.set(text);
    return part;
  }

  /** A copy in memory of its own. */
  copy(): Block {
    return new Block({ ...this.parts, memory: this.memory.slice(0) });
  }
}

/** The end of the updates from `first` on, at most `end`, whose text fits into `bytesMax`. */
export function endWithin(ends: Uint32Array, first: number, end: number, bytesMax: number): number {
  const limit = (first === 0 ? 0 : ends[first - 1]!) + bytesMax;
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Allocates a block of this size for the caller to fill. */
export function emptyBlock(day: UtcDay, count: number, textBytes: number): Block {
  return new Block({ day, count, memory: new ArrayBuffer(COLUMN_BYTES * count + textBytes) });
}

/** Joins consecutive blocks of one day. */
export function joinBlocks(blocks: readonly Block[]): Block {
  const [first] = blocks;
  if (blocks.length === 1) return first!;
  const count = blocks.reduce((sum, block) => sum + block.count, 0);
  const bytes = blocks.reduce((sum, block) => sum + block.text.length, 0);
  const joined = emptyBlock(first!.day, count, bytes);
  let [at, textAt] = [0, 0];
  for (const block of blocks) {
    joined.fromNs.set(block.fromNs, at);
    for (let row = 0; row < block.count; row += 1) {
      joined.ends[at + row] = textAt + block.ends[row]!;
    }
    joined.ranks.set(block.ranks, at);
    joined.ks.set(block.ks, at);
    joined.flags.set(block.flags, at);
    joined.text.set(block.text, textAt);
    at += block.count;
    textAt += block.text.length;
  }
  return joined;
}

/** Joins the blocks of each day, in the order of days. */
export function joinByDay(blocks: readonly Block[]): readonly Block[] {
  return [...Map.groupBy(blocks, ({ day }) => day).values()].map((ofDay) => joinBlocks(ofDay));
}

export function flagsOf(kind: UpdateKind, isFinal: boolean): number {
  return KINDS.indexOf(kind) * 2 + (isFinal ? FINAL : 0);
}
