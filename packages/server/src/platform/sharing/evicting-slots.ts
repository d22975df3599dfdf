/**
 * Slots in which a newcomer always finds room, because another is evicted: at a holder's limit its own that was touched longest
 * ago, at the limit of all that of the largest holder. So a holder that takes a lot loses its own first, and nobody new is shut
 * out by what others left lying. A slot whose holding is busy is passed over.
 */

import type { ShareLimits } from './shares.ts';

/** Disposed when it is no longer needed. */
export interface EvictingSlot extends Disposable {
  /** Something was done with it: others are evicted before. */
  touch(): void;
}

/** What holds a slot. */
export interface Evictable {
  /** The slot was given to another. */
  evict(): void;
  /** It cannot be evicted now, and another of its holder or of others is. */
  readonly isBusy: boolean;
}

export class EvictingSlots {
  readonly #limits: Omit<ShareLimits, 'keptForNew'>;
  /** What each holder has, the one touched longest ago first. */
  readonly #byHolder = new Map<string, Set<Slot>>();
  /** The holders that have so many, so that the largest is found at once. The last of these sets is never empty. */
  readonly #bySize: Set<string>[] = [];
  #count = 0;
  #evictedTotal = 0;

  constructor(limits: Omit<ShareLimits, 'keptForNew'>) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  get evictedTotal(): number {
    return this.#evictedTotal;
  }

  enter(holder: string, holding: Evictable): EvictingSlot {
    const { eachMax, allMax } = this.#limits;
    if ((this.#byHolder.get(holder)?.size ?? 0) >= eachMax) this.#evictOf(holder);
    else if (this.#count >= allMax) this.evictOne();
    const held = this.#byHolder.getOrInsertComputed(holder, () => new Set());
    const slot = new Slot(this, holder, held, holding);
    this.#resize(holder, held.size, held.size + 1);
    held.add(slot);
    this.#count += 1;
    return slot;
  }

  /** Of the largest holder that has one which is not busy; false when nobody has any. */
  evictOne(): boolean {
    for (const holders of this.#bySize.toReversed()) {
      for (const holder of holders) if (this.#evictOf(holder)) return true;
    }
    return false;
  }

  leave(slot: Slot): void {
    const { holder } = slot;
    const held = this.#byHolder.get(holder);
    if (held?.delete(slot) !== true) return;
    this.#resize(holder, held.size + 1, held.size);
    if (held.size === 0) this.#byHolder.delete(holder);
    this.#count -= 1;
  }

  #evictOf(holder: string): boolean {
    for (const slot of this.#byHolder.get(holder)!) {
      if (slot.holding.isBusy) continue;
      this.leave(slot);
      this.#evictedTotal += 1;
      slot.holding.evict();
      return true;
    }
    return false;
  }

  #resize(holder: string, before: number, after: number): void {
    this.#bySize[before]?.delete(holder);
    if (after > 0) {
      while (this.#bySize.length <= after) this.#bySize.push(new Set());
      this.#bySize[after]!.add(holder);
    }
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }
}

/** One for each connection: without closures of its own. */
class Slot implements EvictingSlot {
  readonly holder: string;
  readonly holding: Evictable;
  readonly #slots: EvictingSlots;
  /** All that its holder has. */
  readonly #held: Set<Slot>;

  constructor(slots: EvictingSlots, holder: string, held: Set<Slot>, holding: Evictable) {
    this.#slots = slots;
    this.#held = held;
    this.holder = holder;
    this.holding = holding;
  }

  touch(): void {
    if (this.#held.size > 1 && this.#held.delete(this)) this.#held.add(this);
  }

  [Symbol.dispose](): void {
    this.#slots.leave(this);
  }
}
