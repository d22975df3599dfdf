/** Paddle's records of an order: its checkout, subscription, charges and adjustments. */

import type { Adjustment, Subscription, Transaction } from '@paddle/paddle-node-sdk';
import { UpstreamError } from '../payment-provider.ts';
import type { PaddleApi } from './paddle-api.ts';
import { ADJUSTMENT_ID, idOf, SUBSCRIPTION_ID, TRANSACTION_ID } from './paddle-fields.ts';
import { isPaid, kindOf, orderOf, type PaddlePayment } from './paddle-payment.ts';

/** The most that Paddle lists at a time. */
const TRANSACTIONS_MAX = 30;
const ADJUSTMENTS_MAX = 200;
const ADJUSTMENTS_PAGE = 50;

export class PaddleRecords {
  readonly #api: PaddleApi;

  constructor(api: PaddleApi) {
    this.#api = api;
  }

  /** The transaction of a checkout; null: it does not exist. */
  async checkout(ref: string, signal: AbortSignal): Promise<Transaction | null> {
    signal.throwIfAborted();
    if (!TRANSACTION_ID.test(ref)) return null;
    return this.#api.find('read a transaction', signal, (paddle) => paddle.transactions.get(ref));
  }

  /** The same for a transaction that must exist. */
  async knownCheckout(ref: string, signal: AbortSignal): Promise<Transaction> {
    const checkout = await this.checkout(ref, signal);
    if (checkout === null) throw new UpstreamError('paddle has no such transaction');
    return checkout;
  }

  async payment(checkout: Transaction, signal: AbortSignal): Promise<PaddlePayment> {
    const { subscriptionId } = checkout;
    const isSubscription = kindOf(checkout) === 'subscription' && subscriptionId !== null;
    if (isSubscription) return this.#subscribed(checkout, subscriptionId, signal);
    const filter = { transactionId: [checkout.id] };
    const adjustments = isPaid(checkout) ? await this.#adjustments(filter, signal) : [];
    return { checkout, running: null, adjustments };
  }

  async subscription(checkout: Transaction, signal: AbortSignal): Promise<Subscription> {
    const id = idOf('transaction.subscription_id', checkout.subscriptionId, SUBSCRIPTION_ID);
    return this.#api.ask('read a subscription', signal, (paddle) => paddle.subscriptions.get(id));
  }

  /** The checkout that an object of Paddle belongs to. */
  async locate(objectRef: string, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    if (TRANSACTION_ID.test(objectRef)) return this.#locateTransaction(objectRef, signal);
    if (SUBSCRIPTION_ID.test(objectRef)) return this.#locateSubscription(objectRef, signal);
    if (!ADJUSTMENT_ID.test(objectRef)) return null;
    const [adjustment] = await this.#adjustments({ id: [objectRef] }, signal);
    return adjustment === undefined
      ? null
      : this.#locateTransaction(adjustment.transactionId, signal);
  }

  async #subscribed(checkout: Transaction, id: string, signal: AbortSignal) {
    const [subscription, transactions, adjustments] = await Promise.all([
      this.subscription(checkout, signal),
      this.#api.list('list transactions', signal, TRANSACTIONS_MAX, (paddle) =>
        paddle.transactions.list({
          subscriptionId: [id],
          status: ['completed', 'paid', 'billed', 'past_due'],
          orderBy: 'created_at[DESC]',
          perPage: TRANSACTIONS_MAX,
        }),
      ),
      this.#adjustments({ subscriptionId: [id] }, signal),
    ]);
    return { checkout, running: { subscription, transactions }, adjustments };
  }

  #adjustments(
    filter: { subscriptionId: string[] } | { transactionId: string[] } | { id: string[] },
    signal: AbortSignal,
  ): Promise<readonly Adjustment[]> {
    return this.#api.list('list adjustments', signal, ADJUSTMENTS_MAX, (paddle) =>
      paddle.adjustments.list({ ...filter, orderBy: 'id[DESC]', perPage: ADJUSTMENTS_PAGE }),
    );
  }

  async #locateTransaction(id: string, signal: AbortSignal): Promise<string | null> {
    const transaction = await this.checkout(id, signal);
    if (transaction === null || orderOf(transaction) === null) return null;
    const { origin, subscriptionId } = transaction;
    if (origin === 'api') return id;
    return subscriptionId === null ? null : this.#locateSubscription(subscriptionId, signal);
  }

  /** A subscription comes from the one transaction that we started. */
  async #locateSubscription(id: string, signal: AbortSignal): Promise<string | null> {
    const [first] = await this.#api.list('list transactions', signal, 1, (paddle) =>
      paddle.transactions.list({
        subscriptionId: [id],
        origin: ['api'],
        orderBy: 'created_at[ASC]',
        perPage: 1,
      }),
    );
    return first === undefined || orderOf(first) === null ? null : first.id;
  }
}
