/**
 * Leases in the memory of one process. A lease that was not renewed for 90 s is as good as released.
 * The time that counts is the time the process was seen to live: between two calls at most one renewal
 * interval, so that a clock that jumps ends no lease of a connection that is still open. An account
 * that holds nothing takes no memory.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  LEASE_SECONDS,
  type LeaseKind,
  type LeaseRequest,
  type Leases,
  RENEW_EVERY_SECONDS,
} from './leases.ts';

const SECOND_NS = 1_000_000_000n;
const LEASE_NS = BigInt(LEASE_SECONDS) * SECOND_NS;
const STEP_NS_MAX = BigInt(RENEW_EVERY_SECONDS) * SECOND_NS;

export class MemoryLeases implements Leases {
  /** By kind and account. */
  readonly #holdings = new Map<string, Holdings>();
  #seenAt: EpochNs | null = null;
  #livedNs = 0n;

  take(now: EpochNs, request: LeaseRequest): Promise<boolean> {
    const { accountId, kind, holder, thing, limit } = request;
    const livedNs = this.#live(now);
    const place = placeOf(accountId, kind);
    const holdings = this.#holdings.get(place) ?? new Holdings();
    holdings.expire(livedNs);
    const isGranted = holdings.take(livedNs + LEASE_NS, holder, thing, limit);
    if (holdings.isEmpty) this.#holdings.delete(place);
    else this.#holdings.set(place, holdings);
    return Promise.resolve(isGranted);
  }

  release(accountId: string, kind: LeaseKind, holder: string): Promise<void> {
    const place = placeOf(accountId, kind);
    const holdings = this.#holdings.get(place);
    holdings?.release(holder);
    if (holdings?.isEmpty) this.#holdings.delete(place);
    return Promise.resolve();
  }

  renew(now: EpochNs): Promise<void> {
    const livedNs = this.#live(now);
    for (const [place, holdings] of this.#holdings) {
      holdings.expire(livedNs);
      holdings.renew(livedNs + LEASE_NS);
      if (holdings.isEmpty) this.#holdings.delete(place);
    }
    return Promise.resolve();
  }

  count(now: EpochNs, accountId: string, kind: LeaseKind): Promise<number> {
    const livedNs = this.#live(now);
    const place = placeOf(accountId, kind);
    const holdings = this.#holdings.get(place);
    holdings?.expire(livedNs);
    if (holdings?.isEmpty) this.#holdings.delete(place);
    return Promise.resolve(holdings?.thingCount ?? 0);
  }

  /** Accounts that hold something, once for each kind of it. */
  get size(): number {
    return this.#holdings.size;
  }

  #live(now: EpochNs): bigint {
    const elapsedNs = this.#seenAt === null ? 0n : now - this.#seenAt;
    this.#seenAt = now;
    if (elapsedNs > 0n) this.#livedNs += elapsedNs < STEP_NS_MAX ? elapsedNs : STEP_NS_MAX;
    return this.#livedNs;
  }
}

/** What one account holds of one kind. */
class Holdings {
  /** In the order in which they end. */
  readonly #leases = new Map<string, { readonly thing: string; readonly endsNs: bigint }>();
  /** How many hold each thing. */
  readonly #things = new Map<string, number>();

  get thingCount(): number {
    return this.#things.size;
  }

  get isEmpty(): boolean {
    return this.#leases.size === 0;
  }

  take(endsNs: bigint, holder: string, thing: string, limit: number): boolean {
    const held = this.#leases.get(holder)?.thing;
    if (held !== thing) {
      // Whoever changes from one thing to another gives the first one up only if the second is granted.
      const givenUp = held !== undefined && this.#things.get(held) === 1 ? 1 : 0;
      if (!this.#things.has(thing) && this.#things.size - givenUp >= limit) return false;
      this.release(holder);
      this.#things.set(thing, (this.#things.get(thing) ?? 0) + 1);
    }
    this.#leases.delete(holder);
    this.#leases.set(holder, { thing, endsNs });
    return true;
  }

  release(holder: string): void {
    const thing = this.#leases.get(holder)?.thing;
    if (thing === undefined) return;
    this.#leases.delete(holder);
    const others = this.#things.get(thing)! - 1;
    if (others === 0) this.#things.delete(thing);
    else this.#things.set(thing, others);
  }

  expire(livedNs: bigint): void {
    for (const [holder, { endsNs }] of this.#leases) {
      if (endsNs > livedNs) return;
      this.release(holder);
    }
  }

  renew(endsNs: bigint): void {
    for (const [holder, { thing }] of this.#leases) this.#leases.set(holder, { thing, endsNs });
  }
}

/** A kind is one word, so the first space ends it. */
function placeOf(accountId: string, kind: LeaseKind): string {
  return `${kind} ${accountId}`;
}
