/**
 * The part of a ring for a fixed span of tape time: the flushes as they came while it grows, and one block once it is
 * closed, so that the garbage collector sees one buffer instead of hundreds. A stretch ends with a whole flush, and
 * stores everything that a ring asks of it.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { Block, type BlockParts, joinBlocks } from '../blocks/block.ts';
import { Flush } from './flush.ts';
import { VIEW_NAMES_MAX } from './ring-budget.ts';

/** Stretches begin at whole multiples of this. */
const SPAN_NS = 10_000_000_000;
/** A stretch with more text is closed early; a single flush may have more. */
const TEXT_BYTES_MAX = 65_536;
/** Measured: the overhead of a buffer, and of a stretch. */
const PIECE_COST_BYTES = 512;
const STRETCH_COST_BYTES = 768;

export class Stretch {
  /** Its number in the order in which the stretches of all rings were closed. */
  number: number | null = null;
  readonly #day: UtcDay;
  readonly #span: number;
  #pieces: BlockParts[] = [];
  /** The cursors of its last message and of its last final one. */
  last!: Cursor;
  lastFinal: Cursor | null = null;
  lastEdge!: EpochNs;
  /** The position at its last flush's edge. */
  position = '';
  messages = 0;
  textBytes = 0;
  /** All the memory it takes. */
  bytes = STRETCH_COST_BYTES;

  constructor(first: Block) {
    this.#day = first.day;
    this.#span = spanOf(first);
  }

  hasRoomFor(block: Block): boolean {
    return (
      block.day === this.#day &&
      spanOf(block) === this.#span &&
      this.textBytes + block.text.length <= TEXT_BYTES_MAX
    );
  }

  /** A flush here is never empty. */
  add(block: Block, position: string): void {
    this.#pieces.push(block.parts);
    this.last = block.cursor(block.count - 1);
    const lastFinal = block.lastFinal;
    if (lastFinal >= 0) this.lastFinal = block.cursor(lastFinal);
    this.lastEdge = block.lastEdge;
    this.position = position;
    this.messages += block.count;
    this.textBytes += block.text.length;
    this.bytes += block.memory.byteLength + PIECE_COST_BYTES;
  }

  /** No flush follows: joins the pieces into one block. */
  close(number: number): void {
    const block = this.#joined();
    this.#pieces = [block.parts];
    this.bytes = STRETCH_COST_BYTES + PIECE_COST_BYTES + block.memory.byteLength;
    this.number = number;
  }

  /** All its messages as one flush. */
  view(): Flush {
    return new Flush(this.#joined(), VIEW_NAMES_MAX);
  }

  #joined(): Block {
    return joinBlocks(this.#pieces.map((piece) => new Block(piece)));
  }
}

function spanOf({ fromNs }: Block): number {
  return Math.trunc(fromNs[0]! / SPAN_NS);
}
