/**
 * What one topic published lately, for subscribers that come back (determinism 13). Let c be a cursor:
 *
 * 1. What is read after c is exactly the published messages with a cursor > c, each once, ascending,
 *    however the reading is cut into pieces. A flush that c lies in is read from its first message
 *    beyond c.
 * 2. Nothing is read when a message beyond c has left the ring, or was never in it: c lies below the
 *    floor, the cursor of the newest message that is gone. A cursor has no age of its own: on a stream
 *    that published nothing since, it is good for ever.
 * 3. Messages leave oldest first: when they are too old in tape time, or when the bytes of the topic or
 *    of all topics exceed their limit. Bytes are all the memory that is held, not only what was encoded.
 *
 * `confirmed` has a floor of its own, since only final messages can be missed there.
 */

import { type Cursor, compareCursors, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { Flush } from './flush.ts';
import { readCursor } from './packed-flush.ts';
import { Block, Gathered, type Stretch } from './ring-block.ts';
import type { BudgetedRing, EvictionReason, RingBudget, RingHolder } from './ring-budget.ts';

export interface RingLimits {
  readonly bytesMax: number;
  readonly ageNs: bigint;
}

export const RING_LIMITS: RingLimits = {
  bytesMax: 32 * 1024 * 1024,
  /** Clients are told 15 minutes; one more covers the time it takes to come back. */
  ageNs: 16n * 60n * 1_000_000_000n,
};

/** One piece of what a ring has after a cursor. */
export interface RingPiece {
  /** Whole stretches where possible, shared by all who read them; some may have nothing for the mode. */
  readonly flushes: readonly Flush[];
  /** All that was published up to here is read: the next piece is read after it. */
  readonly through: string;
  /** The position at the end of the piece's last flush; null inside a flush, or when there is none. */
  readonly position: string | null;
  /** Nothing was published beyond this piece. */
  readonly isNewest: boolean;
}

export class Ring implements BudgetedRing, Disposable {
  readonly holder: RingHolder;
  readonly #budget: RingBudget;
  readonly #limits: RingLimits;
  /** Oldest first. */
  #blocks: Block[] = [];
  /** The newest flushes, not packed yet. */
  #gathered: Gathered | null = null;
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
    this.#floor = readCursor(floor);
    this.#finalFloor = this.#floor;
    this.#newest = this.#floor;
    budget.assign(this, holder.account);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldestBlock(): number | null {
    return this.#blocks[0]?.number ?? null;
  }

  /** Its memory counts for this account from here on. */
  countFor(account: string): void {
    this.#budget.assign(this, account);
  }

  /** The least cursor that can be read after. */
  floorOf(mode: StreamMode): string {
    return formatCursor(mode === 'confirmed' ? this.#finalFloor : this.#floor);
  }

  /** Takes in a flush closed at `edge`; false when it does not lie beyond all before it. */
  append(flush: Flush, edge: EpochNs, position: string): boolean {
    const [first] = flush.entries;
    if (first === undefined) return true;
    if (compareCursors(readCursor(first.cursor), this.#newest) <= 0) return false;
    if (this.#gathered?.hasRoomFor(flush, edge) === false) this.#pack(this.#gathered);
    this.#gathered ??= new Gathered(edge);
    const bytesBefore = this.#gathered.bytes;
    this.#gathered.add(flush, edge, position);
    this.#newest = this.#gathered.last;
    this.#count(this.#gathered.bytes - bytesBefore);
    this.#budget.forgetView(this);
    this.expire(edge);
    while (this.#bytes > this.#limits.bytesMax) this.evictOldest('topic');
    this.#budget.settle(this);
    return true;
  }

  /** The topic's tape time is `now`: what is too old leaves. */
  expire(now: EpochNs): void {
    const oldest = now - this.#limits.ageNs;
    for (;;) {
      const stretch = this.#blocks[0] ?? this.#gathered;
      if (stretch === null || stretch.lastEdge >= oldest) return;
      this.evictOldest('age');
    }
  }

  /**
   * What was published after `after`, as far as `bytesMax` reaches but at least one message; null when
   * a part of it is not here.
   */
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
        if (stretch.payloadBytes > restBytes && flushes.length > 0) return piece(false);
        const view = this.#viewOf(stretch);
        const from = firstBeyond(view, after);
        const to = stretch.payloadBytes > restBytes ? cutWithin(view, from, restBytes) : undefined;
        const part = view.part(from, to);
        flushes.push(part);
        if (to !== undefined && to < view.entries.length) {
          through = readCursor(part.entries.at(-1)!.cursor);
          position = null;
          return piece(false);
        }
        restBytes -= stretch.payloadBytes;
      }
      through = stretch.last;
      position = stretch.position;
    }
    return piece(true);
  }

  /** Gives all memory back. */
  [Symbol.dispose](): void {
    for (const block of this.#blocks) this.#budget.forgetView(block);
    this.#blocks = [];
    this.#gathered = null;
    this.#count(-this.#bytes);
    this.#budget.forget(this);
    this.#floor = this.#newest;
    this.#finalFloor = this.#newest;
  }

  /** The stretches with something beyond a cursor, oldest first. */
  *#beyond(after: Cursor): Iterable<Block | Gathered> {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCursors(this.#blocks[middle]!.last, after) > 0) high = middle;
      else low = middle + 1;
    }
    yield* this.#blocks.slice(low);
    const gathered = this.#gathered;
    if (gathered !== null && compareCursors(gathered.last, after) > 0) yield gathered;
  }

  /** What is gathered grows, so its view is kept by the ring's name and forgotten when it does. */
  #viewOf(stretch: Block | Gathered): Flush {
    const key = stretch === this.#gathered ? this : stretch;
    return this.#budget.viewOf(key, () => stretch.view());
  }

  #pack(gathered: Gathered): void {
    const block = new Block(gathered, this.#budget.nextBlock());
    this.#blocks.push(block);
    this.#gathered = null;
    this.#budget.forgetView(this);
    this.#count(block.bytes - gathered.bytes);
  }

  /** The oldest block leaves, or what is gathered when there is none. */
  evictOldest(reason: EvictionReason): void {
    const block = this.#blocks.shift();
    if (block !== undefined) {
      this.#budget.forgetView(block);
      this.#evict(block, reason);
      return;
    }
    const gathered = this.#gathered;
    if (gathered === null) return;
    this.#gathered = null;
    this.#budget.forgetView(this);
    this.#evict(gathered, reason);
  }

  #evict(stretch: Stretch, reason: EvictionReason): void {
    this.#floor = stretch.last;
    this.#finalFloor = stretch.lastFinal ?? this.#finalFloor;
    this.#budget.countEvicted(stretch.messages, reason);
    this.#count(-stretch.bytes);
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

/** The place of the first message beyond a cursor; there is one. */
function firstBeyond({ entries }: Flush, after: Cursor): number {
  let [low, high] = [0, entries.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareCursors(readCursor(entries[middle]!.cursor), after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where to cut so that the messages from `from` on fit, one at least. */
function cutWithin({ entries }: Flush, from: number, bytesMax: number): number {
  let [to, bytes] = [from, 0];
  while (to < entries.length) {
    bytes += entries[to]!.end - entries[to]!.start;
    if (bytes > bytesMax && to > from) break;
    to += 1;
  }
  return to;
}
