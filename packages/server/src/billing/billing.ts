/**
 * Checkouts, cancellations and the end of orders. An order and its consent are placed in one transaction, after the
 * provider has opened its checkout: if the provider is down, slow or wrong, there is no order and the buyer is sent
 * nowhere. A double click gets the same checkout. Rights never change here: they follow from the provider's answers
 * (`payments.ts`).
 */

import { randomBytes } from 'node:crypto';
import { mayCharge, paymentStateAt, willEnd } from '@tapeloom/core/entitlement/payment';
import {
  type BillTo,
  bindsAccount,
  type CheckoutRefused,
  type OrderRecord,
  type OrderTerms,
} from '../accounts/orders/orders-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Actor } from '../accounts/store/store-call.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { SerialQueues } from '../platform/waiting/serial-queue.ts';
import {
  type Offer,
  type OfferBook,
  type Price,
  waiverOf,
  withdrawalTermsOf,
} from './offer-book.ts';
import { OrderReceipts } from './order-receipts.ts';
import { type CheckoutStart, UpstreamError } from './payment-provider.ts';
import type { Payments } from './payments.ts';
import { Withdrawals } from './withdrawals.ts';

/** 80 random bits: no id collides by chance or can be guessed. */
const ID_BYTES = 10;
const OWNER: Actor = { kind: 'owner' };

export interface BillingOptions {
  readonly store: AccountStore;
  readonly payments: Payments;
  /** A reload may replace them. */
  readonly offers: () => OfferBook;
  /** The origin to which buyers return. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Random bytes for ids; the machine's by default. */
  readonly random?: (count: number) => Uint8Array;
}

export interface CheckoutWish {
  readonly accountId: string;
  /** The buyer's session, for the audit log. */
  readonly sessionId: string | null;
  readonly offer: string;
  readonly country: string;
  readonly waiver: { readonly accepted?: boolean; readonly version?: string } | undefined;
  /** The buyer's network address, for the record of the consent. */
  readonly address: string;
  readonly billTo?: BillTo | null;
  /** Whether the buyer orders both offers, one after the other. */
  readonly isOfBoth?: boolean;
}

export type Refusal =
  | Exclude<CheckoutRefused, { readonly refused: 'open-already' }>
  | { readonly refused: 'unknown-offer' | 'unknown-country' }
  /** The version to accept. */
  | { readonly refused: 'waiver'; readonly version: string }
  /** An earlier payment for the same offer awaits the bank and cannot be withdrawn. */
  | { readonly refused: 'confirming' };

export type DropOutcome = OrderRecord | { readonly refused: 'not-found' | 'paid' | 'confirming' };

export type CancelOutcome = OrderRecord | { readonly refused: 'not-found' | 'not-running' };

interface Terms {
  /** The offers to which the buyer agreed; a reload may have replaced them since. */
  readonly book: OfferBook;
  readonly offer: Offer;
  readonly price: Price;
  readonly provider: string;
}

export class Billing {
  readonly withdrawals: Withdrawals;
  readonly receipts: OrderReceipts;
  readonly #options: BillingOptions;
  readonly #queues = new SerialQueues();

  constructor(options: BillingOptions) {
    this.#options = options;
    this.withdrawals = new Withdrawals(options);
    this.receipts = new OrderReceipts(options);
  }

  get offers(): OfferBook {
    return this.#options.offers();
  }

  /** An order that awaits payment, new or just begun, or why there is none. Rejects with `UpstreamError`. */
  async checkout(wish: CheckoutWish): Promise<OrderRecord | Refusal> {
    const { offers } = this;
    const offer = offers.offers.find(({ id }) => id === wish.offer);
    const price = offers.prices.find((one) => one.offer === wish.offer);
    if (offer === undefined || price === undefined) return { refused: 'unknown-offer' };
    const ofCountry = offers.providerOf(wish.country);
    if (ofCountry === null) return { refused: 'unknown-country' };
    const provider = (await this.#providerBefore(wish)) ?? ofCountry;
    const { accepted, version } = wish.waiver ?? {};
    const required = waiverOf(offers, price).version;
    if (accepted !== true || version !== required) return { refused: 'waiver', version: required };
    const terms = { book: offers, offer, price, provider };
    const inTurn = this.#queues.run(wish.accountId, () => this.#checkoutInTurn(wish, terms));
    return this.#logged(inTurn);
  }

  /** Newest first. */
  ordersOf(accountId: string): Promise<readonly OrderRecord[]> {
    return this.#options.store.orders.ordersOf(accountId);
  }

  orderOf(accountId: string, orderId: string): Promise<OrderRecord | null> {
    return this.#options.store.orders.findOrder(accountId, orderId);
  }

  /** Gives up an unpaid order: its checkout can no longer be paid. */
  async drop(accountId: string, orderId: string): Promise<DropOutcome> {
    const order = await this.orderOf(accountId, orderId);
    if (order === null) return { refused: 'not-found' };
    if (order.state === 'failed') return order;
    if (order.state !== 'open') return { refused: 'paid' };
    const inTurn = this.#queues.run(accountId, () => this.#close(order));
    const after = await this.#logged(inTurn);
    if (after.state === 'failed') return after;
    return { refused: after.state === 'open' ? 'confirming' : 'paid' };
  }

  /** Whether the account's deletion was requested. */
  async isLeaving(accountId: string): Promise<boolean> {
    return (await this.#options.store.people.deletionOf(accountId)) !== null;
  }

  /** Lets a subscription end with its period, or (`isCancelled` false) renew after all. */
  async setCancelled(
    accountId: string,
    orderId: string,
    isCancelled: boolean,
  ): Promise<CancelOutcome> {
    const { clock } = this.#options;
    const order = await this.orderOf(accountId, orderId);
    if (order === null) return { refused: 'not-found' };
    const state = paymentStateAt(order, clock.now());
    const isRunning = state === 'paid' || state === 'past_due' || state === 'cancelled';
    if (order.kind !== 'subscription' || !isRunning || order.withdrawnAt !== null)
      return { refused: 'not-running' };
    if (willEnd(order) === isCancelled) return order;
    return this.#logged(this.#askCancelled(order, isCancelled));
  }

  async #askCancelled(order: OrderRecord, isCancelled: boolean): Promise<OrderRecord> {
    const { payments } = this.#options;
    await payments.provider(order.provider).cancelAtPeriodEnd(order, isCancelled);
    const after = await payments.look(order, OWNER);
    // A subscription that is over by now counts as cancelled.
    const isDone = mayCharge(after) ? willEnd(after) === isCancelled : isCancelled;
    if (!isDone) throw new UpstreamError(`${order.provider} did not change ${order.ref} as asked`);
    return after;
  }

  /** Logs a provider's fault for the operator; the customer only gets an error. */
  async #logged<Result>(asked: Promise<Result>): Promise<Result> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof UpstreamError) {
        this.#options.log.warn({ error }, 'a payment provider did not do as it should');
      }
      throw error;
    }
  }

  /**
   * Ensures that nothing more is charged: subscriptions end at their providers, and open checkouts close. Rejects with
   * `UpstreamError` if that cannot be ensured; then the account must stay.
   */
  async beforeDeletion(accountId: string): Promise<void> {
    const { store } = this.#options;
    await this.#queues.run(accountId, async () => {
      for (const order of await store.orders.ordersOf(accountId)) {
        if (mayCharge(order)) await this.#end(order);
      }
    });
  }

  async #checkoutInTurn(wish: CheckoutWish, terms: Terms): Promise<OrderRecord | Refusal> {
    const { store, payments, clock } = this.#options;
    const { id: offer, grants } = terms.offer;
    const { country, billTo = null } = wish;
    const question = { offer, grants, provider: terms.provider, country, billTo };
    const judge = () => store.orders.judgeCheckout(clock.now(), wish.accountId, question);
    const refused = await judge();
    if (refused?.refused === 'open-already') {
      if (await this.#isStillOpen(refused.order)) return refused.order;
    } else if (refused !== null) return refused;
    for (const earlier of await this.#earlier(wish)) await payments.look(earlier);
    // An order that was open may have been paid meanwhile.
    const refusedNow = await judge();
    if (refusedNow !== null) return openOrRefused(refusedNow);
    // A buyer must not pay twice for the same offer.
    for (const earlier of await this.#earlier(wish)) {
      if (earlier.state !== 'open') await this.#end(earlier);
      else if ((await this.#close(earlier)).state === 'open') return { refused: 'confirming' };
    }
    // If it was paid at the last moment, it was not closed: then this order is the result.
    const refusedAtLast = await judge();
    if (refusedAtLast !== null) return openOrRefused(refusedAtLast);
    const start = await this.#startOf(wish, terms);
    const started = await payments.provider(terms.provider).startCheckout(start);
    return this.#place(wish, terms, { ...termsOf(start, terms), ...started });
  }

  /** A checkout that the buyer just gave up is not returned again. If the provider fails, our record counts. */
  async #isStillOpen(order: OrderRecord): Promise<boolean> {
    try {
      return (await this.#options.payments.look(order)).state === 'open';
    } catch (error) {
      if (error instanceof UpstreamError) return true;
      throw error;
    }
  }

  async #place(
    wish: CheckoutWish,
    { book, price }: Terms,
    terms: Omit<OrderTerms, 'waiverVersion' | 'taxIncluded'>,
  ): Promise<OrderRecord | Refusal> {
    const { store, clock } = this.#options;
    const { accountId, sessionId, address } = wish;
    const { taxIncluded } = book;
    const { version: waiverVersion, text } = waiverOf(book, price);
    const call = { now: clock.now(), actor: OWNER, sessionId };
    try {
      const order = { ...terms, taxIncluded, waiverVersion };
      const placed = await store.orders.placeOrder(call, accountId, order, { text, address });
      if (!('refused' in placed)) return placed;
      await this.#forgetCheckout(terms);
      return openOrRefused(placed);
    } catch (error) {
      // No buyer has its address, so it cannot be paid.
      void this.#forgetCheckout(terms);
      throw error;
    }
  }

  /** Only tidiness: no buyer was sent there. */
  async #forgetCheckout({ provider, ref }: Pick<OrderTerms, 'provider' | 'ref'>): Promise<void> {
    try {
      await this.#options.payments.provider(provider).cancelNow(ref);
    } catch (error) {
      this.#options.log.warn({ error }, 'a checkout could not be closed');
    }
  }

  async #startOf(wish: CheckoutWish, { book, offer, price }: Terms): Promise<CheckoutStart> {
    const { store, publicUrl, random = randomBytes } = this.#options;
    const orderId = `ord_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
    const owner = await store.people.ownerOf(wish.accountId);
    return {
      orderId,
      accountId: wish.accountId,
      email: owner?.email ?? null,
      kind: offer.billing === 'monthly' ? 'subscription' : 'purchase',
      offer: offer.id,
      offerName: offer.name,
      amountMinor: price.amountMinor,
      currency: book.currency,
      taxIncluded: book.taxIncluded,
      country: wish.country,
      billTo: wish.billTo ?? null,
      returnUrl: `${publicUrl()}/orders?order=${orderId}`,
      backUrl: `${publicUrl()}/checkout?offer=${wish.isOfBoth ? 'both' : encodeURIComponent(offer.id)}`,
    };
  }

  /**
   * The provider that the account pays already for orders from this country; null: none. When a country moves to
   * another provider, new customers follow; the others stay with the provider of their card.
   */
  async #providerBefore({ accountId, country }: CheckoutWish): Promise<string | null> {
    const { store, payments, clock } = this.#options;
    const orders = await store.orders.ordersOf(accountId);
    const bound = orders.find((one) => one.country === country && bindsAccount(one, clock.now()));
    return bound !== undefined && payments.has(bound.provider) ? bound.provider : null;
  }

  /** Orders of the same offer that could still be paid or charged, though they grant nothing. */
  async #earlier(wish: CheckoutWish): Promise<readonly OrderRecord[]> {
    const orders = await this.#options.store.orders.ordersOf(wish.accountId);
    return orders.filter((order) => order.offer === wish.offer && mayCharge(order));
  }

  /** Returns the order after closing; it is paid if the buyer was faster. */
  async #close(order: OrderRecord): Promise<OrderRecord> {
    const { payments } = this.#options;
    await payments.provider(order.provider).closeCheckout(order.ref);
    return payments.look(order);
  }

  async #end(order: OrderRecord): Promise<void> {
    const { payments } = this.#options;
    await payments.provider(order.provider).cancelNow(order.ref);
    const after = await payments.look(order);
    // A refunded or disputed payment keeps that state even after it has ended.
    const isTakenBack = after.state === 'disputed' || after.state === 'refunded';
    if (mayCharge(after) && !isTakenBack)
      throw new UpstreamError(`${order.provider} did not end ${order.ref}`);
  }
}

function openOrRefused(refused: CheckoutRefused): OrderRecord | Refusal {
  return refused.refused === 'open-already' ? refused.order : refused;
}

function termsOf(start: CheckoutStart, { offer, price, provider }: Terms) {
  const { orderId: id, kind, amountMinor, currency, country, billTo = null } = start;
  return {
    id,
    kind,
    amountMinor,
    currency,
    country,
    billTo,
    provider,
    offer: offer.id,
    grants: offer.grants,
    withdrawal: withdrawalTermsOf(price),
  };
}
