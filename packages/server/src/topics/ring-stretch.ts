/**
 * What a ring keeps of a fixed stretch of tape time: the flushes as they came while it grows, and one block
 * once it is closed, so that the collector of garbage sees one piece of memory where there were hundreds. A
 * stretch ends with a whole flush, and knows all that a ring asks without being looked into.
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
/** Measured: what a piece of memory takes beside its bytes, and a stretch. */
const PIECE_COST_BYTES = 512;
const STRETCH_COST_BYTES = 768;

export class Stretch {
  /** Where it stands among the stretches of all rings in the order in which they were closed. */
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

  /** A flush is never empty here. */
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

  /** Nothing follows in it. */
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
