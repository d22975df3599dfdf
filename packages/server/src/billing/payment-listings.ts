/**
 * Events of providers as they list them: what no webhook told is found by it, also after days in which nobody could
 * be reached. How far the listing got is kept, and moves on only by what was listed; each listing begins an hour
 * before that, since a provider may list an event late. It is done when the process begins, every hour, and when the store may
 * have gone back to an older copy.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { AskedProvider } from './asked-provider.ts';

const LIST_EVERY_NS = HOUR_NS_BIG;
const OVERLAP_NS = HOUR_NS_BIG;
/** After a failure. */
const AGAIN_NS = 5n * MINUTE_NS_BIG;
const PAGE_EVENTS = 100;
/** What one round lists at most; the next goes on. */
const PAGES_MAX = 10;

export interface PaymentListingsOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
}

export class PaymentListings {
  readonly #options: PaymentListingsOptions;
  /** Providers whose listing was tried since the process began, or since the store went back. */
  readonly #tried = new Set<string>();

  constructor(options: PaymentListingsOptions) {
    this.#options = options;
  }

  /** All are due. */
  listAgain(): void {
    this.#tried.clear();
  }

  /** Those of the providers whose events are to be listed now. */
  async due(providers: ReadonlyMap<string, AskedProvider>): Promise<readonly AskedProvider[]> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const due = new Set<string>();
    for (const listing of await store.orders.dueListings(now)) {
      due.add(listing.provider);
      // Of a provider that is no longer here nothing is listed, and nobody waits for it.
      if (!providers.has(listing.provider)) {
        await store.orders.noteListing({ ...listing, listAt: after(now, LIST_EVERY_NS) });
      }
    }
    return [...providers.values()].filter(({ name }) => due.has(name) || !this.#tried.has(name));
  }

  /** Keeps what was not known as pending; how many that were. Rejects with `UpstreamError`, and goes on later. */
  async list(provider: AskedProvider): Promise<number> {
    const { store, clock } = this.#options;
    const { name } = provider;
    const now = clock.now();
    this.#tried.add(name);
    // What happened before the first listing of all was told by webhooks, or there was nothing.
    const known = (await store.orders.findListing(name))?.listedUntil ?? now;
    // A place that is yet to come was noted by a clock that was wrong.
    const kept = known < now ? known : now;
    let from = (kept - OVERLAP_NS) as EpochNs;
    let until = kept;
    let added = 0;
    let isWhole = false;
    try {
      for (let page = 0; page < PAGES_MAX && !isWhole; page += 1) {
        const { events, nextFrom } = await provider.eventsSince(from, PAGE_EVENTS);
        for (const { id, objectRef, at } of events) {
          const event = { provider: name, id, objectRef, at };
          if (await store.orders.receiveEvent(clock.now(), event)) added += 1;
        }
        isWhole = events.length < PAGE_EVENTS || nextFrom <= from;
        from = nextFrom;
        if (nextFrom > until) until = nextFrom;
      }
    } catch (error) {
      await this.#note(name, until, AGAIN_NS);
      throw error;
    }
    // Where little happens, the place moves on all the same.
    const least = (now - DAY_NS_BIG) as EpochNs;
    await this.#note(name, isWhole && until < least ? least : until, isWhole ? LIST_EVERY_NS : 0n);
    return added;
  }

  async #note(provider: string, listedUntil: EpochNs, waitNs: bigint): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const listAt = after(now, waitNs);
    await store.orders.noteListing({ provider, listedUntil, listedAt: now, listAt });
  }
}

function after(now: EpochNs, waitNs: bigint): EpochNs {
  return (now + waitNs) as EpochNs;
}
