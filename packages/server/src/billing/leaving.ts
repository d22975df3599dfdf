/**
 * An account whose deletion was requested is charged nothing more until then: its subscriptions end with their paid
 * period. A failed request to a provider is repeated.
 */

import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import type { Billing } from './billing.ts';
import { UpstreamError } from './payment-provider.ts';

const ROUND_MAX = 100;

export interface LeavingOptions {
  readonly store: Pick<AccountStore, 'orders'>;
  readonly billing: Pick<Billing, 'setCancelled'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class Leaving {
  readonly #options: LeavingOptions;
  /** Orders whose provider failed, and when to retry. */
  readonly #again = new Map<string, bigint>();
  #round: Promise<void> | null = null;

  constructor(options: LeavingOptions) {
    this.#options = options;
  }

  /** Handles what is due; resolves when that is done. */
  look(): Promise<void> {
    this.#round ??= this.#look().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  async #look(): Promise<void> {
    const { store, clock } = this.#options;
    const orders = await store.orders.ordersOfLeaving(ROUND_MAX);
    const ids = new Set(orders.map(({ id }) => id));
    for (const id of this.#again.keys()) if (!ids.has(id)) this.#again.delete(id);
    for (const order of orders) {
      if (clock.now() >= (this.#again.get(order.id) ?? 0n)) await this.#letEnd(order);
    }
  }

  async #letEnd({ id, accountId }: OrderRecord): Promise<void> {
    const { billing, clock, log } = this.#options;
    // Whatever the outcome, the next round does not begin with this order again.
    this.#again.set(id, clock.now() + MINUTE_NS_BIG);
    try {
      const after = await billing.setCancelled(accountId, id, true);
      if ('refused' in after) return;
      log.info({ order: id }, 'a subscription ends, as its account is to be deleted');
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
    }
  }
}
