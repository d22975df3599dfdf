/**
 * Leases in the memory of one process. A lease that is not renewed for 90 s is released. Time counts only while the
 * process was seen alive, at most one renewal interval between two calls. So a clock that jumps ends no lease of an
 * open connection. An account that holds nothing uses no memory.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import {
  LEASE_SECONDS,
  type LeaseKind,
  type LeaseRequest,
  type Leases,
  RENEW_EVERY_SECONDS,
} from './leases.ts';

const LEASE_NS = BigInt(LEASE_SECONDS) * SECOND_NS_BIG;
const STEP_NS_MAX = BigInt(RENEW_EVERY_SECONDS) * SECOND_NS_BIG;

const HOLDERS = ['all', 'tests'] as const;
type Holder = (typeof HOLDERS)[number];

export class MemoryLeases implements Leases {
  /** By kind, by all or tests, and by account. */
  readonly #holdings = new Map<string, Holdings>();
  #seenAt: EpochNs | null = null;
  #livedNs = 0n;

  take(now: EpochNs, request: LeaseRequest): Promise<boolean> {
    const { accountId, kind, holder, thing, limit, testLimit } = request;
    const livedNs = this.#live(now);
    const counted = [
      { holdings: this.#openHoldings(kind, accountId, 'all', livedNs), limit },
      ...(testLimit === null
        ? []
        : [{ holdings: this.#openHoldings(kind, accountId, 'tests', livedNs), limit: testLimit }]),
    ];
    const isGranted = counted.every((it) => it.holdings.hasRoom(holder, thing, it.limit));
    if (isGranted) {
      for (const { holdings } of counted) holdings.take(livedNs + LEASE_NS, holder, thing);
    }
    this.#dropEmpty(kind, accountId);
    return Promise.resolve(isGranted);
  }

  release(accountId: string, kind: LeaseKind, holder: string): Promise<void> {
    for (const by of HOLDERS) this.#holdings.get(placeOf(kind, accountId, by))?.release(holder);
    this.#dropEmpty(kind, accountId);
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

  count(now: EpochNs, accountId: string, kind: LeaseKind, by: Holder = 'all'): Promise<number> {
    const count = this.#openHoldings(kind, accountId, by, this.#live(now)).thingCount;
    this.#dropEmpty(kind, accountId);
    return Promise.resolve(count);
  }

  /** No other process can take a slot here. */
  onLost(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  get size(): number {
    return this.#holdings.size;
  }

  /** The holdings, without the expired ones. */
  #openHoldings(kind: LeaseKind, accountId: string, by: Holder, livedNs: bigint): Holdings {
    const place = placeOf(kind, accountId, by);
    const holdings = this.#holdings.getOrInsertComputed(place, () => new Holdings());
    holdings.expire(livedNs);
    return holdings;
  }

  #dropEmpty(kind: LeaseKind, accountId: string): void {
    for (const by of HOLDERS) {
      const place = placeOf(kind, accountId, by);
      if (this.#holdings.get(place)?.isEmpty) this.#holdings.delete(place);
    }
  }

  #live(now: EpochNs): bigint {
    const elapsedNs = this.#seenAt === null ? 0n : now - this.#seenAt;
    this.#seenAt = now;
    if (elapsedNs > 0n) this.#livedNs += elapsedNs < STEP_NS_MAX ? elapsedNs : STEP_NS_MAX;
    return this.#livedNs;
  }
}

/** The leases of one kind of one account, or of its test keys. */
class Holdings {
  /** In the order of expiry. */
  readonly #leases = new Map<string, { readonly thing: string; readonly endsNs: bigint }>();
  /** How many holders each thing has. */
  readonly #things = new Map<string, number>();

  get thingCount(): number {
    return this.#things.size;
  }

  get isEmpty(): boolean {
    return this.#leases.size === 0;
  }

  /** Whether this holder may have this thing; a null limit allows everything. */
  hasRoom(holder: string, thing: string, limit: number | null): boolean {
    if (limit === null || this.#things.has(thing)) return true;
    // A holder that changes its thing gives the first up only if the second is granted.
    const held = this.#leases.get(holder)?.thing;
    const givenUp = held !== undefined && this.#things.get(held) === 1 ? 1 : 0;
    return this.#things.size - givenUp < limit;
  }

  take(endsNs: bigint, holder: string, thing: string): void {
    if (this.#leases.get(holder)?.thing !== thing) {
      this.release(holder);
      this.#things.set(thing, (this.#things.get(thing) ?? 0) + 1);
    }
    this.#leases.delete(holder);
    this.#leases.set(holder, { thing, endsNs });
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

/** Unique: neither `kind` nor `by` contains a space, so all after the second space is the account. */
function placeOf(kind: LeaseKind, accountId: string, by: Holder): string {
  return `${kind} ${by} ${accountId}`;
}
