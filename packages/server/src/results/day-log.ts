/**
 * The known part of a study's log of one UTC day: its finished blocks, the start of the next one, and the run that
 * stands where they end. It grows by reading on, and is complete when the day is over. A block is the same whichever
 * computation made it, from whatever start, so any part of the day is a range of blocks cut at its ends.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { Mark, ObjectVersion } from '@tapeloom/core/studies/study';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { type Block, joinBlocks } from '../blocks/block.ts';
import type { BlockWriter } from '../blocks/block-writer.ts';
import type { RunSource } from '../runs/run-source.ts';
import type { SettledOutput, SettledRun } from '../runs/settled-run.ts';
import { BLOCK_RANKS, LoggedBlock } from './logged-block.ts';

export interface WholeDay {
  readonly trades: number;
  /** See `DayPart`. */
  readonly isWarm: boolean;
  readonly blocks: readonly LoggedBlock[];
  /** The objects still forming at its end. */
  readonly tail: Block;
}

export interface WantedDay {
  readonly end: EpochNs;
  readonly hasTail: boolean;
  /** Only updates after this are requested. */
  readonly after: Cursor | null;
}

export class DayLog {
  readonly day: UtcDay;
  /** The inputs of its run. */
  source: RunSource;
  /** Null before the start, and once the day is over. */
  run: SettledRun | null = null;
  isWarm = true;
  rank = 0;
  /** Everything up to position(covered) is here. */
  covered: EpochNs;
  /** The objects still forming at position(covered); null if unknown. */
  tail: Block | null = null;
  readonly #blockRanks: number;
  readonly #dayEnd: EpochNs;
  /** Null: the block was evicted. */
  readonly #blocks: (LoggedBlock | null)[] = [];
  #open: LoggedBlock | null = null;

  constructor(day: UtcDay, source: RunSource, blockRanks = BLOCK_RANKS) {
    this.day = day;
    this.source = source;
    this.covered = epochNs(day, 0);
    this.#blockRanks = blockRanks;
    this.#dayEnd = epochNs(addDays(day, 1), 0);
  }

  static whole(day: UtcDay, source: RunSource, whole: WholeDay, blockRanks: number): DayLog {
    const log = new DayLog(day, source, blockRanks);
    log.#blocks.push(...whole.blocks);
    log.rank = whole.trades;
    log.isWarm = whole.isWarm;
    log.tail = whole.tail;
    log.covered = log.#dayEnd;
    return log;
  }

  get isOver(): boolean {
    return this.covered === this.#dayEnd;
  }

  /** Null if the day is not over, or if a block was evicted. */
  get whole(): WholeDay | null {
    const { rank: trades, isWarm, tail } = this;
    const blocks = this.#blocks.filter((block) => block !== null);
    if (!this.isOver || blocks.length < this.#blocks.length) return null;
    return { trades, isWarm, blocks, tail: tail! };
  }

  get bytes(): number {
    const ofTail = this.tail?.memory.byteLength ?? 0;
    return this.blocks.reduce((sum, block) => sum + (block?.bytes ?? 0), ofTail);
  }

  get finished(): number {
    return this.#blocks.length;
  }

  /** The finished blocks and the start of the next one. */
  get blocks(): readonly (LoggedBlock | null)[] {
    return this.#open === null ? this.#blocks : [...this.#blocks, this.#open];
  }

  /** The block of a trade's updates. */
  blockOf(rank: number): number {
    return rank === 0 ? 0 : Math.floor((rank - 1) / this.#blockRanks);
  }

  /** The cursor before all updates of a block, and after those of the previous one. */
  startOf(block: number): Cursor {
    const rank = block === 0 ? 0 : block * this.#blockRanks + 1;
    return { day: this.day, rank: rank as Rank, k: 0 };
  }

  /** Whether its blocks, together with reading on, provide the requested part. */
  serves({ end, hasTail, after }: WantedDay): boolean {
    const first = after?.day === this.day ? this.blockOf(after.rank) : 0;
    if (this.#blocks.includes(null, first)) return false;
    if (end === this.covered) return !hasTail || this.tail !== null;
    if (end > this.covered) return this.run !== null || this.rank === 0;
    // If the covered log is warm, so is the requested part of it; otherwise that is unknown.
    return this.isWarm && !hasTail;
  }

  covers(end: EpochNs): boolean {
    return end <= this.covered;
  }

  /** The output of its run; updates are collected in `writer`. */
  output(writer: BlockWriter): SettledOutput {
    return {
      upsert: (version: ObjectVersion, at: Readonly<Mark>, fromNs: number) => {
        this.#cutBefore(at.rank, writer);
        writer.upsert(version, at, fromNs);
      },
      remove: (id: string, final: boolean, ts: string, at: Readonly<Mark>, fromNs: number) => {
        this.#cutBefore(at.rank, writer);
        writer.remove(id, final, ts, at, fromNs);
      },
    };
  }

  /** The run has passed the trade of this rank, and everything before `covered`. */
  passed(rank: number, covered: EpochNs, writer: BlockWriter): void {
    this.#cutBefore(rank, writer);
    this.rank = rank;
    this.covered = covered;
    this.tail = null;
  }

  /** The run pauses: collected updates become part of the log. */
  pause(writer: BlockWriter): void {
    if (writer.count === 0) return;
    const parts = this.#open === null ? [] : [this.#open.block];
    this.#open = LoggedBlock.of(joinBlocks([...parts, writer.take(this.day)]));
  }

  /** The run stands at position(end), after the trades given to `passed`. */
  standAt(end: EpochNs, writer: BlockWriter): void {
    this.pause(writer);
    this.covered = end;
    if (this.isOver) this.#finish(writer);
    this.tail = this.run!.tail(this.day, writer);
  }

  /** Packs blocks to save memory. If that does not suffice, the first blocks are evicted. */
  async shrink(bytesMax: number, packedBytesMax: number): Promise<void> {
    for (const block of this.#blocks) {
      if (this.bytes <= bytesMax) return;
      await block?.pack();
      block?.letBlockGo();
    }
    let packed = this.#blocks.reduce((sum, block) => sum + (block?.bytes ?? 0), 0);
    for (let at = 0; at < this.#blocks.length - 1 && packed > packedBytesMax; at += 1) {
      packed -= this.#blocks[at]?.bytes ?? 0;
      this.#blocks[at] = null;
    }
  }

  /** Finishes the blocks before a trade's block. */
  #cutBefore(rank: number, writer: BlockWriter): void {
    while (rank > (this.#blocks.length + 1) * this.#blockRanks) this.#finish(writer);
  }

  #finish(writer: BlockWriter): void {
    this.pause(writer);
    this.#blocks.push(this.#open ?? LoggedBlock.of(writer.take(this.day)));
    this.#open = null;
  }
}
