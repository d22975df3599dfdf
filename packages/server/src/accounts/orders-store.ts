/**
 * The part of the account store about money: orders, consents, and what payment providers said. As in the store
 * itself, every method is one transaction, and callers say what time it is.
 */

import type { EpochNs } from '@tapeloom/core/numbers';

export interface OrderRecord {
  readonly id: string;
  readonly accountId: string;
  readonly offer: string;
  readonly createdAt: EpochNs;
}

export interface OrdersStore {
  /** The newest first. */
  ordersOf(accountId: string): Promise<readonly OrderRecord[]>;
}
