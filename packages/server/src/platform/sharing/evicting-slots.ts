/**
 * Slots that always admit a newcomer by evicting another. At a holder's limit, its own least recently used slot is
 * evicted; at the total limit, that of the largest holder. So a holder that takes a lot loses its own slots first, and
 * idle slots shut out no newcomer. Busy slots are skipped.
 */

import type { ShareLimits } from './shares.ts';

export interface EvictingSlot extends Disposable {
  /** Marks it as used: others are evicted before it. */
  touch(): void;
}

export interface Evictable {
  evict(): void;
  /** It cannot be evicted now; another slot is. */
  readonly isBusy: boolean;
}

export class EvictingSlots {
  readonly #limits: Omit<ShareLimits, 'keptForNew'>;
  /** Each holder's slots, least recently used first. */
  readonly #byHolder = new Map<string, Set<Slot>>();
  /** Holders by their number of slots, to find the largest at once. The last set is never empty. */
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

  /** Evicts a slot of the largest holder that has one not busy; false if there is none. */
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

/** One for each connection, so it has no closures. */
class Slot implements EvictingSlot {
  readonly holder: string;
  readonly holding: Evictable;
  readonly #slots: EvictingSlots;
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
