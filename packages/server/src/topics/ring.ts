/**
 * The recent messages of one topic, for subscribers that come back (rule DET-13). A reader gets exactly the
 * published messages beyond its cursor, or null when the ring does not have all of them. `confirmed` has a floor of its
 * own, since only final messages can be missed there.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MIB, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { type Block, endWithin } from '../blocks/block.ts';
import type { Flush } from './flush.ts';
import type { BudgetedRing, EvictionReason, RingBudget, RingHolder } from './ring-budget.ts';
import { Stretch } from './ring-stretch.ts';

export interface RingLimits {
  readonly bytesMax: number;
  readonly ageNs: bigint;
}

export const RING_LIMITS: RingLimits = {
  bytesMax: 32 * MIB,
  /** Clients are promised 15 minutes; one more covers the time to come back. */
  ageNs: 16n * MINUTE_NS_BIG,
};

/** A piece of the ring's messages after a cursor. */
export interface RingPiece {
  /** Whole stretches where possible, shared by all readers; some may have nothing for the mode. */
  readonly flushes: readonly Flush[];
  /** Everything published up to here is read: the next piece follows it. */
  readonly through: string;
  /** The position at the end of the piece's last flush; null inside a flush, or when there is none. */
  readonly position: string | null;
  /** Nothing was published beyond this piece. */
  readonly isNewest: boolean;
}

/**
 * Let c be a cursor:
 *
 * 1. A read after c returns exactly the published messages with a cursor > c, each once, ascending, however the reading
 *    is cut into pieces. If c lies inside a flush, the read begins with the flush's first message beyond c.
 * 2. A read returns null when a message beyond c has left the ring, or was never in it: c lies below the floor, the
 *    cursor of the newest message that is gone. A cursor does not age by itself: on a stream that published nothing
 *    since, it is good for ever.
 * 3. Messages leave oldest first: when they are too old in tape time, or when the bytes of the topic or of all topics
 *    exceed their limit. Bytes are all the memory that is held, not only the encoded text.
 */
export class Ring implements BudgetedRing, Disposable {
  readonly holder: RingHolder;
  readonly #budget: RingBudget;
  readonly #limits: RingLimits;
  /** Oldest first; all but the newest are closed. */
  #stretches: Stretch[] = [];
  #bytes = 0;
  #floor: Cursor;
  #finalFloor: Cursor;
  /** The newest message, or the floor when there is none. */
  #newest: Cursor;

  /** Nothing up to `floor` is here, and everything beyond it will be appended. */
  constructor(floor: string, budget: RingBudget, holder: RingHolder, limits = RING_LIMITS) {
    this.holder = holder;
    this.#budget = budget;
    this.#limits = limits;
    this.#floor = parseCursor(floor)!;
    this.#finalFloor = this.#floor;
    this.#newest = this.#floor;
    budget.assign(this, holder.account);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldestClosed(): number | null {
    return this.#stretches[0]?.number ?? null;
  }

  countFor(account: string): void {
    this.#budget.assign(this, account);
  }

  /** The lowest cursor that can be read after. */
  floorOf(mode: StreamMode): string {
    return formatCursor(mode === 'confirmed' ? this.#finalFloor : this.#floor);
  }

  /** Adds a flush; false when it does not lie beyond all before it. */
  append(flush: Block, position: string): boolean {
    if (flush.count === 0) return true;
    if (compareCursors(flush.cursor(0), this.#newest) <= 0) return false;
    const stretch = this.#stretchFor(flush);
    const bytesBefore = stretch.bytes;
    stretch.add(flush, position);
    this.#newest = stretch.last;
    this.#count(stretch.bytes - bytesBefore);
    this.#budget.forgetView(stretch);
    this.expire(stretch.lastEdge);
    while (this.#bytes > this.#limits.bytesMax) this.evictOldest('topic');
    this.#budget.settle(this);
    return true;
  }

  /** The topic's tape time is `now`: messages that are too old leave. */
  expire(now: EpochNs): void {
    const oldest = now - this.#limits.ageNs;
    while (this.#stretches.length > 0 && this.#stretches[0]!.lastEdge < oldest) {
      this.evictOldest('age');
    }
  }

  /** The messages published after `after`, up to `bytesMax` but at least one; null when the ring does not have all. */
  read(after: Cursor, bytesMax: number, mode: StreamMode): RingPiece | null {
    const floor = mode === 'confirmed' ? this.#finalFloor : this.#floor;
    if (compareCursors(after, floor) < 0) return null;
    const flushes: Flush[] = [];
    let through = after;
    let position: string | null = null;
    let restBytes = bytesMax;
    const piece = (isNewest: boolean) => {
      return { flushes, through: formatCursor(through), position, isNewest };
    };
    for (const stretch of this.#beyond(after)) {
      if (!hasNothingFor(mode, stretch, after)) {
        if (stretch.textBytes > restBytes && flushes.length > 0) return piece(false);
        const view = this.#budget.viewOf(stretch, () => stretch.view());
        const { block } = view;
        const first = block.countUpTo(after);
        const fitting = endWithin(block.ends, first, block.count, restBytes);
        const end = stretch.textBytes > restBytes ? Math.max(first + 1, fitting) : block.count;
        flushes.push(view.part(first, end));
        if (end < block.count) {
          through = block.cursor(end - 1);
          position = null;
          return piece(false);
        }
        restBytes -= stretch.textBytes;
      }
      through = stretch.last;
      position = stretch.position;
    }
    return piece(true);
  }

  [Symbol.dispose](): void {
    for (const stretch of this.#stretches) this.#budget.forgetView(stretch);
    this.#stretches = [];
    this.#count(-this.#bytes);
    this.#budget.forget(this);
    this.#floor = this.#newest;
    this.#finalFloor = this.#newest;
  }

  /** Evicts the oldest stretch, even if it is not closed. */
  evictOldest(reason: EvictionReason): void {
    const stretch = this.#stretches.shift();
    if (stretch === undefined) return;
    this.#budget.forgetView(stretch);
    this.#floor = stretch.last;
    this.#finalFloor = stretch.lastFinal ?? this.#finalFloor;
    this.#budget.countEvicted(stretch.messages, reason);
    this.#count(-stretch.bytes);
  }

  /** The stretches with something beyond a cursor, oldest first. */
  #beyond(after: Cursor): readonly Stretch[] {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCursors(this.#stretches[middle]!.last, after) > 0) high = middle;
      else low = middle + 1;
    }
    return this.#stretches.slice(low);
  }

  /** The newest stretch, or a new one when that has no room. */
  #stretchFor(flush: Block): Stretch {
    const newest = this.#stretches.at(-1);
    if (newest?.hasRoomFor(flush) === true) return newest;
    if (newest !== undefined) {
      const bytesBefore = newest.bytes;
      newest.close(this.#budget.nextClosed());
      this.#budget.forgetView(newest);
      this.#count(newest.bytes - bytesBefore);
    }
    const stretch = new Stretch(flush);
    this.#stretches.push(stretch);
    this.#count(stretch.bytes);
    return stretch;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.count(this, bytes);
  }
}

function hasNothingFor(mode: StreamMode, { lastFinal }: Stretch, after: Cursor): boolean {
  if (mode === 'live') return false;
  return lastFinal === null || compareCursors(lastFinal, after) <= 0;
}
