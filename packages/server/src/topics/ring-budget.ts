/**
 * The memory of all rings together. It never exceeds the limit once an append has returned. A ring counts for one
 * account: of several that watch its topic, for the one that has least, so that a small account does not lose beside a
 * large one. Only the account with the most makes room. Recently read stretches are cached in the form that readers
 * need, within a limit, so that the clients of a reconnect storm share one encoding.
 */

import { MIB } from '@tapeloom/core/units';
import type { Flush } from './flush.ts';

/** Bytes that all rings may hold together unless configured otherwise. */
export const RINGS_BYTES_MAX = 256 * MIB;
/** Names for which the encoding of one stretch is cached. */
export const VIEW_NAMES_MAX = 4;
/** Text of the cached stretches; with all their encodings they take about six times as much memory. */
const VIEWS_BYTES_MAX = 8 * MIB;

/** Why messages left a ring: too old, too many of its topic, or too many of all topics together. */
export type EvictionReason = 'age' | 'topic' | 'total';

/** The accounts that a ring may count for. */
export interface RingHolder {
  /** The account it counts for at first. */
  readonly account: string;
  /** Those that watch its topic now. */
  accounts(): Iterable<string>;
}

/** The parts of a ring that the budget reads. */
export interface BudgetedRing {
  readonly bytes: number;
  readonly holder: RingHolder;
  /** The number of its oldest closed stretch; null when it has none. */
  readonly oldestClosed: number | null;
  evictOldest(reason: EvictionReason): void;
}

/** Ends one topic of this account without subscribers, ring and all; false when there is none. */
export type DropIdle = (account: string, age: 'past-grace' | 'any') => boolean;

interface Share {
  readonly account: string;
  bytes: number;
  readonly rings: Set<BudgetedRing>;
}

export class RingBudget {
  readonly #bytesMax: number;
  readonly #dropIdle: DropIdle;
  readonly #shares = new Map<string, Share>();
  readonly #shareOf = new Map<BudgetedRing, Share>();
  /** Recently read views, the least recent first. */
  readonly #views = new Map<object, Flush>();
  #viewBytes = 0;
  #bytes = 0;
  #lastClosed = 0;
  readonly #evictions: Record<EvictionReason, number> = { age: 0, topic: 0, total: 0 };

  constructor(bytesMax: number, dropIdle: DropIdle) {
    this.#bytesMax = bytesMax;
    this.#dropIdle = dropIdle;
  }

  get bytes(): number {
    return this.#bytes;
  }

  bytesOf(account: string): number {
    return this.#shares.get(account)?.bytes ?? 0;
  }

  /** The bytes that count for the account with the most. */
  get bytesOfLargest(): number {
    return this.#largest()?.bytes ?? 0;
  }

  /** Messages that left a ring, by reason. */
  get evictions(): Readonly<Record<EvictionReason, number>> {
    return this.#evictions;
  }

  /** The number of a stretch that is closed now; later ones have higher numbers. */
  nextClosed(): number {
    this.#lastClosed += 1;
    return this.#lastClosed;
  }

  /** From here on the ring counts for this account. */
  assign(ring: BudgetedRing, account: string): void {
    this.#leave(ring);
    const share = this.#shares.getOrInsertComputed(account, () => {
      return { account, bytes: 0, rings: new Set() };
    });
    share.rings.add(ring);
    share.bytes += ring.bytes;
    this.#shareOf.set(ring, share);
  }

  /** A ring has grown by this much, or shrunk when it is negative. */
  count(ring: BudgetedRing, bytes: number): void {
    this.#bytes += bytes;
    const share = this.#shareOf.get(ring);
    if (share !== undefined) share.bytes += bytes;
  }

  /** The ring is empty, and over. */
  forget(ring: BudgetedRing): void {
    this.#leave(ring);
    this.#shareOf.delete(ring);
  }

  countEvicted(messages: number, reason: EvictionReason): void {
    this.#evictions[reason] += messages;
  }

  /** Makes room until all fits, after this ring has grown. */
  settle(grown: BudgetedRing): void {
    while (this.#bytes > this.#bytesMax) this.#makeRoom(this.#largest()!, grown);
  }

  /** The readers' view of `key`, made once for all that request it within a short time. */
  viewOf(key: object, make: () => Flush): Flush {
    let view = this.#views.get(key);
    if (view === undefined) {
      view = make();
      this.#viewBytes += view.block.text.length;
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
    this.#viewBytes -= view.block.text.length;
    this.#views.delete(key);
  }

  /**
   * Frees memory of one account, in this order: idle topics past their grace, then the oldest stretches of its rings.
   * When no stretch is closed, the appending ring gives up what it has just taken, if it is the account's own.
   * Otherwise the account's other idle topics go, and at last the content of its largest ring.
   */
  #makeRoom(share: Share, grown: BudgetedRing): void {
    const { account, rings } = share;
    if (this.#dropIdle(account, 'past-grace') || this.#takeStretch(share)) return;
    if (rings.has(grown) && grown.bytes > 0) grown.evictOldest('total');
    else if (!this.#dropIdle(account, 'any')) largestRing(rings).evictOldest('total');
  }

  /** Takes the oldest stretch, or moves its ring to a watcher that has less. */
  #takeStretch(share: Share): boolean {
    const ring = oldestRing(share.rings);
    if (ring === null) return false;
    const lighter = this.#lighterHolder(ring, share);
    if (lighter === null) ring.evictOldest('total');
    else this.assign(ring, lighter);
    return true;
  }

  /** A watcher of the ring's topic that would have less with the ring than this account has. */
  #lighterHolder(ring: BudgetedRing, { account, bytes }: Share): string | null {
    let lightest: string | null = null;
    let least = bytes;
    for (const other of ring.holder.accounts()) {
      const withIt = this.bytesOf(other) + ring.bytes;
      if (other === account || withIt >= least) continue;
      lightest = other;
      least = withIt;
    }
    return lightest;
  }

  #largest(): Share | null {
    let largest: Share | null = null;
    for (const share of this.#shares.values()) {
      if (largest === null || share.bytes > largest.bytes) largest = share;
    }
    return largest;
  }

  #leave(ring: BudgetedRing): void {
    const share = this.#shareOf.get(ring);
    if (share === undefined) return;
    share.rings.delete(ring);
    share.bytes -= ring.bytes;
    if (share.rings.size === 0) this.#shares.delete(share.account);
  }
}

/** The ring whose oldest stretch is older than that of the others; null when none has a closed one. */
function oldestRing(rings: ReadonlySet<BudgetedRing>): BudgetedRing | null {
  let oldest: BudgetedRing | null = null;
  let least = Infinity;
  for (const ring of rings) {
    const closed = ring.oldestClosed ?? Infinity;
    if (closed >= least) continue;
    oldest = ring;
    least = closed;
  }
  return oldest;
}

function largestRing(rings: ReadonlySet<BudgetedRing>): BudgetedRing {
  return [...rings].reduce((a, b) => (b.bytes > a.bytes ? b : a));
}
