/**
 * Lists the providers' events, which finds those that no webhook delivered, even after days without a connection. The
 * position of the listing is stored and advances only over listed events. Each listing begins an hour earlier, since
 * events may be listed late. It runs at the start, every hour, and when the store may have been restored from a backup.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { AskedProvider } from './asked-provider.ts';

const LIST_EVERY_NS = HOUR_NS_BIG;
const OVERLAP_NS = HOUR_NS_BIG;
/** The wait after a failure. */
const AGAIN_NS = 5n * MINUTE_NS_BIG;
const PAGE_EVENTS = 100;
/** The most pages of one round; the next round continues. */
const PAGES_MAX = 10;

export interface PaymentListingsOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
}

export class PaymentListings {
  readonly #options: PaymentListingsOptions;
  /** Providers whose listing was tried since the start, or since the store may have been restored. */
  readonly #tried = new Set<string>();

  constructor(options: PaymentListingsOptions) {
    this.#options = options;
  }

  /** Makes all listings due. */
  listAgain(): void {
    this.#tried.clear();
  }

  /** Providers whose events are due to be listed. */
  async due(providers: ReadonlyMap<string, AskedProvider>): Promise<readonly AskedProvider[]> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const due = new Set<string>();
    for (const listing of await store.orders.dueListings(now)) {
      due.add(listing.provider);
      // A provider that is no longer configured is not listed, and does not stay due.
      if (!providers.has(listing.provider)) {
        await store.orders.noteListing({ ...listing, listAt: after(now, LIST_EVERY_NS) });
      }
    }
    return [...providers.values()].filter(({ name }) => due.has(name) || !this.#tried.has(name));
  }

  /** Stores unknown events as pending; returns how many. Rejects with `UpstreamError`, and a later call continues. */
  async list(provider: AskedProvider): Promise<number> {
    const { store, clock } = this.#options;
    const { name } = provider;
    const now = clock.now();
    this.#tried.add(name);
    // Events before the first listing were delivered by webhooks, or there were none.
    const known = (await store.orders.findListing(name))?.listedUntil ?? now;
    // A position in the future was stored by a wrong clock.
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
    // The position advances even when there are few events.
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
