/** Assembles the result of one `next` of a read. */

import type { Cursor } from '@tapeloom/core/cursor';
import type { UtcDay } from '@tapeloom/core/numbers';
import { KIB, MIB } from '@tapeloom/core/units';
import { type Block, type BlockParts, joinBlocks } from '../blocks/block.ts';
import type { DayPart, DaysPage, SettledDaysRequest } from './settled-days.ts';

/** A page is full from this many bytes on. */
const PAGE_BYTES = MIB;
/** Frames are sent page by page: the first page is small to arrive early, and each next one has twice the space. */
const FIRST_FRAMES_BYTES = 256 * KIB;

type Growing = { -readonly [Name in keyof DayPart]: DayPart[Name] } & {
  /** The log's own blocks, not copies. */
  blocks: Block[];
};

export class DaysPages {
  readonly #bytesMax: number;
  /** The bytes from which the current page is full. */
  #room: number;
  #skipLeft: number;
  #parts: Growing[] = [];
  #frames: Uint8Array[] = [];
  #bytes = 0;

  constructor(skip: number, form: SettledDaysRequest['form'], bytesMax = PAGE_BYTES) {
    this.#skipLeft = skip;
    this.#bytesMax = bytesMax;
    this.#room = form === 'frames' ? Math.min(bytesMax, FIRST_FRAMES_BYTES) : bytesMax;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Updates still to be counted and not sent. */
  get skipLeft(): number {
    return this.#skipLeft;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#room;
  }

  /** Further content belongs to this day, which may have a part on the page already. */
  open(day: UtcDay): void {
    if (this.#parts.at(-1)?.day === day) return;
    const counts = { rank: 0, skipped: 0, updates: 0 };
    const rest = { isDayOver: false, isWarm: true, blocks: [], tail: null };
    this.#parts.push({ day, ...counts, ...rest });
  }

  /** How many of the next `count` updates are only counted. */
  skip(count: number): number {
    const skipped = Math.min(this.#skipLeft, count);
    this.#skipLeft -= skipped;
    this.#parts.at(-1)!.skipped += skipped;
    return skipped;
  }

  addBlock(block: Block): void {
    const part = this.#parts.at(-1)!;
    part.blocks.push(block);
    part.updates += block.count;
    this.#bytes += block.memory.byteLength;
  }

  addFrame(frame: Uint8Array, updates: number): void {
    this.#frames.push(frame);
    this.#parts.at(-1)!.updates += updates;
    this.#bytes += frame.length;
  }

  /** Sets facts of the current day, as of the content added last. */
  note(facts: Partial<Pick<DayPart, 'rank' | 'isDayOver' | 'isWarm' | 'tail'>>): void {
    Object.assign(this.#parts.at(-1)!, facts);
  }

  take(position: Cursor, isLast: boolean): DaysPage {
    const frames = new Uint8Array(this.#frames.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const frame of this.#frames) {
      frames.set(frame, at);
      at += frame.length;
    }
    const parts = this.#parts.map((part) => ({ ...part, blocks: ownBlocks(part.blocks) }));
    const page = { parts, frames, position, isLast };
    this.#parts = [];
    this.#frames = [];
    this.#bytes = 0;
    this.#room = Math.min(2 * this.#room, this.#bytesMax);
    return page;
  }
}

/** Copied into a single buffer: many small buffers cost more to transfer than their bytes. */
function ownBlocks(blocks: readonly Block[]): readonly BlockParts[] {
  if (blocks.length === 0) return [];
  return [(blocks.length === 1 ? blocks[0]!.copy() : joinBlocks(blocks)).parts];
}
