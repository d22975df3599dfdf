/**
 * The stretches a ring is made of: the newest flushes as they came, gathered until they are worth
 * packing, and the blocks they are packed into. A stretch ends with a whole flush, and knows all that a
 * ring asks without being looked into.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Flush } from './flush.ts';
import { mergeFlushes, PackedFlush, readCursor } from './packed-flush.ts';
import { VIEW_NAMES_MAX } from './ring-budget.ts';

/** Flushes are packed before they would exceed one of these; a single flush may. */
const BLOCK_BYTES_MAX = 65_536;
const BLOCK_MESSAGES_MAX = 512;
const BLOCK_SPAN_NS = 10_000_000_000n;
/** Measured: the memory of a message beside its bytes, of a flush as it came, of a block. */
const MESSAGE_COST_BYTES = 256;
const FLUSH_COST_BYTES = 768;
const BLOCK_COST_BYTES = 768;

/** A flush is never empty here. */
export interface Stretch {
  /** The cursor of its last message. */
  readonly last: Cursor;
  /** The cursor of its last final message. */
  readonly lastFinal: Cursor | null;
  readonly lastEdge: EpochNs;
  /** The position at its last flush's edge. */
  readonly position: string;
  readonly messages: number;
  readonly payloadBytes: number;
  /** All the memory it takes. */
  readonly bytes: number;
  /** All its messages as one flush. */
  view(): Flush;
}

export class Gathered implements Stretch {
  readonly #firstEdge: EpochNs;
  readonly #flushes: Flush[] = [];
  last!: Cursor;
  lastFinal: Cursor | null = null;
  lastEdge: EpochNs;
  position = '';
  messages = 0;
  payloadBytes = 0;

  constructor(firstEdge: EpochNs) {
    this.#firstEdge = firstEdge;
    this.lastEdge = firstEdge;
  }

  get bytes(): number {
    const { messages, payloadBytes } = this;
    return payloadBytes + messages * MESSAGE_COST_BYTES + this.#flushes.length * FLUSH_COST_BYTES;
  }

  hasRoomFor({ entries, bytes }: Flush, edge: EpochNs): boolean {
    return (
      this.payloadBytes + bytes.length <= BLOCK_BYTES_MAX &&
      this.messages + entries.length <= BLOCK_MESSAGES_MAX &&
      edge - this.#firstEdge < BLOCK_SPAN_NS
    );
  }

  add(flush: Flush, edge: EpochNs, position: string): void {
    const { entries, bytes } = flush;
    this.#flushes.push(flush);
    this.last = readCursor(entries.at(-1)!.cursor);
    const lastFinal = entries.findLast((entry) => entry.final);
    if (lastFinal !== undefined) this.lastFinal = readCursor(lastFinal.cursor);
    this.lastEdge = edge;
    this.position = position;
    this.messages += entries.length;
    this.payloadBytes += bytes.length;
  }

  view(): Flush {
    return mergeFlushes(this.#flushes, VIEW_NAMES_MAX);
  }
}

export class Block implements Stretch {
  /** Blocks of all rings are counted in the order in which they were completed. */
  readonly number: number;
  readonly last: Cursor;
  readonly lastFinal: Cursor | null;
  readonly lastEdge: EpochNs;
  readonly position: string;
  readonly messages: number;
  readonly payloadBytes: number;
  readonly #packed: PackedFlush;

  constructor(gathered: Gathered, number: number) {
    this.number = number;
    this.last = gathered.last;
    this.lastFinal = gathered.lastFinal;
    this.lastEdge = gathered.lastEdge;
    this.position = gathered.position;
    this.messages = gathered.messages;
    this.payloadBytes = gathered.payloadBytes;
    this.#packed = new PackedFlush(gathered.view());
  }

  get bytes(): number {
    return this.#packed.blockBytes + BLOCK_COST_BYTES;
  }

  view(): Flush {
    return this.#packed.unpack(VIEW_NAMES_MAX);
  }
}
