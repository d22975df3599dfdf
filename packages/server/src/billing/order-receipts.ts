/**
 * A customer's view of an order at its provider: receipts, and the page where the card is changed. Another account's
 * order is reported as unknown. Receipts are cached briefly, so reloading a page does not use up the provider's rate
 * limit.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import { type Receipt, UpstreamError } from './payment-provider.ts';
import type { Payments } from './payments.ts';

const REMEMBERED_NS = 30_000_000_000n;
const REMEMBERED_MAX = 1_000;

export interface OrderReceiptsOptions {
  readonly store: AccountStore;
  readonly payments: Payments;
  /** The origin to which customers return. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

interface Remembered {
  readonly at: EpochNs;
  readonly heardAsk: number;
  readonly receipts: Promise<readonly Receipt[]>;
}

export class OrderReceipts {
  readonly #options: OrderReceiptsOptions;
  /** By order; the latest is last. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: OrderReceiptsOptions) {
    this.#options = options;
  }

  /** Newest first; null: the account has no such order. Rejects with `UpstreamError`. */
  async receiptsOf(accountId: string, orderId: string): Promise<readonly Receipt[] | null> {
    const { store, payments, clock } = this.#options;
    const order = await store.orders.findOrder(accountId, orderId);
    if (order === null) return null;
    // Nothing was charged, or the provider has lost the payment.
    if (order.paidAt === null || order.writtenOffAt !== null) return [];
    const now = clock.now();
    const known = this.#remembered.get(orderId);
    // A newer answer of the provider may mean other receipts.
    const isFresh =
      known?.heardAsk === order.heardAsk && known.at <= now && now < known.at + REMEMBERED_NS;
    if (isFresh) return known.receipts;
    const receipts = payments.provider(order.provider).receipts(order);
    this.#remember(orderId, { at: now, heardAsk: order.heardAsk, receipts });
    try {
      return await receipts;
    } catch (error) {
      this.#remembered.delete(orderId);
      throw error;
    }
  }

  /** The newest charge, for a mail that is sent with or without it; null: there is none, or the provider failed. */
  async newestOf({ accountId, id }: OrderRecord): Promise<Receipt | null> {
    try {
      const receipts = await this.receiptsOf(accountId, id);
      return receipts?.find(({ state }) => state === 'paid') ?? null;
    } catch (error) {
      if (error instanceof UpstreamError) return null;
      throw error;
    }
  }

  /** The page where the card is changed; `none`: this order has none. */
  async portalOf(
    accountId: string,
    orderId: string,
  ): Promise<{ readonly url: string } | { readonly refused: 'not-found' | 'none' }> {
    const { store, payments, publicUrl } = this.#options;
    const order = await store.orders.findOrder(accountId, orderId);
    if (order === null) return { refused: 'not-found' };
    if (order.paidAt === null || order.writtenOffAt !== null) return { refused: 'none' };
    const provider = payments.provider(order.provider);
    const url = await provider.customerPortal(order, `${publicUrl()}/orders`);
    return url === null ? { refused: 'none' } : { url };
  }

  #remember(orderId: string, remembered: Remembered): void {
    this.#remembered.delete(orderId);
    this.#remembered.set(orderId, remembered);
    if (this.#remembered.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#remembered.keys();
    this.#remembered.delete(oldest!);
  }
}
