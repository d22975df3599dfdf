/**
 * The memory of all rings together. What they hold never exceeds the limit once an append has returned:
 * first a topic that nobody listens to any more makes room, then the oldest block of any ring goes, and
 * when no whole block is left, what the appending ring has just taken in.
 *
 * Also keeps the blocks that were read lately in the form readers need, so that the clients of a
 * reconnect storm share one encoding; what that takes is limited as well.
 */

import type { Flush } from './flush.ts';

/** Bytes that all rings may hold together unless configured otherwise. */
export const RINGS_BYTES_MAX = 256 * 1024 * 1024;
/** Names for which the encoding of one block is kept. */
export const VIEW_NAMES_MAX = 4;
/** Payload of the blocks kept for readers; with all their encodings about six times as much memory. */
const VIEWS_BYTES_MAX = 8 * 1024 * 1024;

/** Why something left a ring: too old, too much for its topic, or too much for all topics together. */
export type EvictionReason = 'age' | 'topic' | 'total';

/** What the budget needs to know of a ring's block. */
export interface BudgetedBlock {
  /** Takes the block out of its ring; it is the ring's oldest. */
  evict(reason: EvictionReason): void;
}

export class RingBudget {
  readonly #bytesMax: number;
  readonly #dropIdle: () => boolean;
  /** Blocks of all rings in the order in which they were completed. */
  readonly #blocks = new Set<BudgetedBlock>();
  /** What was read lately, least recently first. */
  readonly #views = new Map<object, Flush>();
  #viewBytes = 0;
  #bytes = 0;
  readonly #evictions: Record<EvictionReason, number> = { age: 0, topic: 0, total: 0 };

  /** `dropIdle` ends a topic without subscribers, ring and all, or says that there is none. */
  constructor(bytesMax: number, dropIdle: () => boolean) {
    this.#bytesMax = bytesMax;
    this.#dropIdle = dropIdle;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Messages that left a ring, by reason. */
  get evictions(): Readonly<Record<EvictionReason, number>> {
    return this.#evictions;
  }

  /** A ring has grown by this much, or shrunk when it is negative. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  add(block: BudgetedBlock): void {
    this.#blocks.add(block);
  }

  delete(block: BudgetedBlock): void {
    this.#blocks.delete(block);
    this.forgetView(block);
  }

  countEvicted(messages: number, reason: EvictionReason): void {
    this.#evictions[reason] += messages;
  }

  /** Makes room until all fits; `evictLast` empties the ring that grew. */
  settle(evictLast: () => void): void {
    while (this.#bytes > this.#bytesMax) {
      if (this.#dropIdle()) continue;
      const [oldest] = this.#blocks;
      if (oldest === undefined) {
        evictLast();
        return;
      }
      oldest.evict('total');
    }
  }

  /** What readers see of `key`, made once for all who ask within a short time. */
  viewOf(key: object, make: () => Flush): Flush {
    let view = this.#views.get(key);
    if (view === undefined) {
      view = make();
      this.#viewBytes += view.bytes.length;
    }
    this.#views.delete(key);
    this.#views.set(key, view);
    while (this.#viewBytes > VIEWS_BYTES_MAX && this.#views.size > 1) {
      const [oldest] = this.#views.keys();
      this.forgetView(oldest!);
    }
    return view;
  }

  forgetView(key: object): void {
    const view = this.#views.get(key);
    if (view === undefined) return;
    this.#viewBytes -= view.bytes.length;
    this.#views.delete(key);
  }
}
