/**
 * A finished block of a day's log in the store: expanded, packed as in the day's file, or both. It never changes;
 * results sent elsewhere are copies, so that they can move to another thread.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { Block, COLUMN_BYTES } from '../blocks/block.ts';
import { freeMemory } from '../platform/memory/free-memory.ts';
import { compressFrame, expandFrame } from './frames.ts';

/** The ranks in a block: block b has the updates whose cursor's rank is in (b × this, (b + 1) × this]. */
export const BLOCK_RANKS = 65_536;

export interface BlockFacts {
  readonly count: number;
  readonly textBytes: number;
  /** `fromNs` of its first update, and of its last; 0 without updates. */
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface PackedBlock {
  /** All columns as one zstd frame. */
  readonly columns: Uint8Array;
  /** The text as one zstd frame, as exports send it. */
  readonly frame: Uint8Array;
}

export class LoggedBlock implements BlockFacts {
  readonly day: UtcDay;
  readonly count: number;
  readonly textBytes: number;
  readonly firstNs: number;
  readonly lastNs: number;
  #block: Block | null;
  /** Whether a caller may still read the expanded block after `letBlockGo`. */
  #isLent = false;
  #packed: PackedBlock | null;
  #packing: Promise<PackedBlock> | null = null;

  private constructor(
    day: UtcDay,
    { count, textBytes, firstNs, lastNs }: BlockFacts,
    block: Block | null,
    packed: PackedBlock | null,
  ) {
    this.day = day;
    this.count = count;
    this.textBytes = textBytes;
    this.firstNs = firstNs;
    this.lastNs = lastNs;
    this.#block = block;
    this.#packed = packed;
  }

  static of(block: Block): LoggedBlock {
    const { day, count, text, fromNs } = block;
    const facts = {
      count,
      textBytes: text.length,
      firstNs: fromNs[0] ?? 0,
      lastNs: fromNs[count - 1] ?? 0,
    };
    return new LoggedBlock(day, facts, block, null);
  }

  static packed(day: UtcDay, facts: BlockFacts, packed: PackedBlock): LoggedBlock {
    return new LoggedBlock(day, facts, null, packed);
  }

  get bytes(): number {
    const { columns, frame } = this.#packed ?? { columns: [], frame: [] };
    return (this.#block?.memory.byteLength ?? 0) + columns.length + frame.length;
  }

  get isPacked(): boolean {
    return this.#packed !== null;
  }

  /** Valid for a moment: do not store, change or transfer it. */
  get block(): Block {
    this.#block ??= this.#expanded();
    return this.#block;
  }

  /** May be stored, but not changed or transferred. */
  lend(): Block {
    this.#isLent = true;
    return this.block;
  }

  async pack(): Promise<PackedBlock> {
    if (this.#packed !== null) return this.#packed;
    // Only one caller may use the block that long: its memory is freed once it is packed.
    this.#packing ??= this.#pack();
    return await this.#packing;
  }

  /** Drops the expanded copy of a packed block. Its large memory is freed at once, not by the garbage collector. */
  letBlockGo(): void {
    if (this.#packed === null || this.#block === null) return;
    if (!this.#isLent) freeMemory(this.#block.memory);
    this.#block = null;
    this.#isLent = false;
  }

  async #pack(): Promise<PackedBlock> {
    const { memory, count, text } = this.block;
    const columns = new Uint8Array(memory, 0, COLUMN_BYTES * count);
    try {
      const [packedColumns, frame] = [await compressFrame(columns), await compressFrame(text)];
      this.#packed = { columns: packedColumns, frame };
      return this.#packed;
    } finally {
      this.#packing = null;
    }
  }

  #expanded(): Block {
    const { day, count, textBytes } = this;
    const { columns, frame } = this.#packed!;
    const memory = new ArrayBuffer(COLUMN_BYTES * count + textBytes);
    expandFrame(columns, new Uint8Array(memory, 0, COLUMN_BYTES * count));
    expandFrame(frame, new Uint8Array(memory, COLUMN_BYTES * count));
    return new Block({ day, count, memory });
  }
}
