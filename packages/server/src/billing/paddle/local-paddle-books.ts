/**
 * What a Paddle account holds and how it changes, in memory and on a clock by hand: for tests. Buyers, banks and time
 * do here what they do there; every change has its event.
 */

import type {
  IAddressResponse,
  IAdjustmentResponse,
  ICustomerResponse,
  IEventName,
  IEventsResponse,
  IProductResponse,
  ISubscriptionResponse,
  ITransactionResponse,
} from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import { monthsAfter } from '../test-provider/test-payment.ts';
import {
  addressShape,
  adjustmentShape,
  customerShape,
  priceShape,
  productShape,
  type Stamped,
  subscriptionShape,
  type TransactionWish,
  transactionShape,
} from './local-paddle-shapes.ts';
import { instantOf, paddleTime } from './paddle-fields.ts';

const DAY_NS = 86_400_000_000_000n;
/** A renewal that failed is given up after so long. */
const DUNNING_NS = 14n * DAY_NS;
/** As in the sandbox, where Paddle looks through refunds every ten minutes. */
const APPROVAL_NS = 600_000_000_000n;
const TAX_PERCENT: Readonly<Record<string, number>> = { DE: 19, US: 8, GB: 20 };
/** Countries in which Paddle wants a postal code. */
const POSTAL_COUNTRIES: readonly string[] = ['US', 'GB', 'CA', 'IN'];

/** Paddle refuses: the status of its answer, its code, and a field if one is wrong. */
export class LocalRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;

  constructor(status: number, code: string, detail: string, field: string | null = null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export class LocalPaddleBooks {
  readonly customers = new Map<string, ICustomerResponse>();
  readonly addresses = new Map<string, IAddressResponse>();
  readonly products = new Map<string, IProductResponse>();
  readonly transactions = new Map<string, ITransactionResponse>();
  readonly subscriptions = new Map<string, ISubscriptionResponse>();
  readonly adjustments = new Map<string, IAdjustmentResponse>();
  readonly events: IEventsResponse<object>[] = [];
  /** `held`: nobody decides about refunds, as it may be for days. */
  refunds: 'approved' | 'in-ten-minutes' | 'held' = 'approved';
  /** Subscriptions whose card is declined. */
  readonly brokenCards = new Set<string>();
  onEvent: (event: IEventsResponse<object>) => void = () => undefined;
  readonly #clock: Clock;
  readonly #name: string;
  #ids = 0;

  constructor(clock: Clock, name = '0') {
    this.#clock = clock;
    this.#name = name;
  }

  get now(): string {
    return paddleTime(this.#clock.now());
  }

  addCustomer(email: string): ICustomerResponse {
    const known = this.customers.values().find((one) => isSame(one.email, email));
    if (known !== undefined) {
      const detail = `customer email conflicts with customer of id ${known.id}`;
      throw new LocalRefusal(409, 'customer_already_exists', detail);
    }
    return this.#keep(this.customers, customerShape(this.#stamp('ctm'), email), 'customer.created');
  }

  addAddress(customerId: string, given: Pick<IAddressResponse, 'country_code' | 'postal_code'>) {
    const { country_code: country, postal_code: postal } = given;
    if (POSTAL_COUNTRIES.includes(country) && !postal) {
      throw new LocalRefusal(400, 'bad_request', 'Invalid request.', 'postal_code');
    }
    const address = addressShape(this.#stamp('add'), customerId, given);
    return this.#keep(this.addresses, address, 'address.created');
  }

  addTransaction(wish: TransactionWish): ITransactionResponse {
    const [item] = wish.items ?? [];
    if (item === undefined) throw new LocalRefusal(400, 'bad_request', 'Invalid request.', 'items');
    const customerId = wish.customer_id ?? null;
    if (customerId !== null && this.customers.get(customerId)?.status !== 'active') {
      throw new LocalRefusal(400, 'transaction_customer_not_suitable', 'customer is not active');
    }
    const product = productShape(this.#stamp('pro'), item.price.product);
    this.products.set(product.id, product);
    const addressId = wish.address_id ?? null;
    const transaction = transactionShape(this.#stamp('txn'), {
      origin: 'api',
      customerId,
      addressId,
      price: priceShape(this.#stamp('pri'), item.price, product),
      taxPercent: this.#taxOf(addressId),
      customData: wish.custom_data ?? null,
      lineItemId: this.#id('txnitm'),
    });
    const url = new URL(wish.checkout?.url ?? 'https://default.example/pay');
    url.searchParams.set('_ptxn', transaction.id);
    transaction.checkout = { url: url.href };
    return this.#keep(this.transactions, transaction, 'transaction.created');
  }

  /** `PATCH /transactions/{id}`, of what we use. */
  patchTransaction(id: string, patch: Partial<ITransactionResponse>): ITransactionResponse {
    const transaction = this.transactions.get(id)!;
    const { status } = transaction;
    if (patch.status !== undefined) {
      if (patch.status !== 'canceled' || !['ready', 'billed'].includes(status)) {
        const detail = `Invalid attempt to change status from '${status}' to '${patch.status}'`;
        throw new LocalRefusal(400, 'transaction_invalid_status_change', detail);
      }
      return this.#change(transaction, { status: 'canceled' }, 'transaction.canceled');
    }
    if (status !== 'draft' && status !== 'ready') {
      throw new LocalRefusal(400, 'transaction_immutable', `transaction is ${status}`);
    }
    const addressId = patch.address_id ?? transaction.address_id ?? null;
    const isReady = transaction.customer_id && addressId;
    const change = { address_id: addressId, status: isReady ? 'ready' : status } as const;
    return this.#change(transaction, change, 'transaction.updated');
  }

  /** The buyer pays on Paddle's page, and the bank says yes. */
  pay(id: string): ITransactionResponse {
    const transaction = this.transactions.get(id)!;
    if (transaction.status === 'draft') {
      // The buyer types what is missing.
      const given = { country_code: 'US', postal_code: '10001' } as const;
      this.patchTransaction(id, {
        address_id: this.addAddress(transaction.customer_id!, given).id,
      });
    }
    if (transaction.status !== 'ready') {
      const detail = `Cannot process payment for ${transaction.status} transaction`;
      throw new LocalRefusal(422, 'transaction_not_ready_cannot_process_payment', detail);
    }
    if (transaction.items[0]!.price!.billing_cycle) this.#subscribe(transaction);
    return this.#complete(transaction);
  }

  cancelSubscription(id: string, from: string): ISubscriptionResponse {
    const subscription = this.subscriptions.get(id)!;
    const { status, scheduled_change: change, current_billing_period: period } = subscription;
    if (status === 'canceled') {
      throw new LocalRefusal(400, 'subscription_update_when_canceled', 'subscription is canceled');
    }
    if (from === 'immediately') return this.#end(subscription, this.now);
    if (change) {
      const detail = 'cannot update subscription, pending scheduled changes';
      throw new LocalRefusal(400, 'subscription_locked_pending_changes', detail);
    }
    const effectiveAt = period!.ends_at;
    return this.#change(
      subscription,
      {
        scheduled_change: { action: 'cancel', effective_at: effectiveAt, resume_at: null },
        next_billed_at: null,
      },
      'subscription.updated',
    );
  }

  unschedule(id: string): ISubscriptionResponse {
    const subscription = this.subscriptions.get(id)!;
    const next = subscription.current_billing_period?.ends_at ?? null;
    const change = { scheduled_change: null, next_billed_at: next };
    return this.#change(subscription, change, 'subscription.updated');
  }

  pause(id: string): ISubscriptionResponse {
    const change = { status: 'paused', paused_at: this.now, current_billing_period: null } as const;
    return this.#change(this.subscriptions.get(id)!, change, 'subscription.paused');
  }

  refund(wish: {
    readonly transaction_id: string;
    readonly reason: string;
    readonly type?: string;
    readonly items?: readonly { readonly item_id: string; readonly amount: string }[];
  }): IAdjustmentResponse {
    const transaction = this.transactions.get(wish.transaction_id);
    if (transaction?.status !== 'completed') {
      throw new LocalRefusal(400, 'adjustment_transaction_invalid_status_for_refund', 'not paid');
    }
    const earlier = [...this.adjustments.values()].filter(
      (one) => one.transaction_id === transaction.id && one.action === 'refund',
    );
    if (earlier.some(({ status }) => status === 'pending_approval')) {
      throw new LocalRefusal(400, 'adjustment_pending_refund_request', 'there is one pending');
    }
    const given = earlier.filter(({ status }) => status === 'approved');
    const left =
      Number(transaction.details!.totals!.grand_total) -
      given.reduce((sum, { totals }) => sum + Number(totals.total), 0);
    const totalMinor = wish.type === 'full' ? left : Number(wish.items![0]!.amount);
    if (totalMinor <= 0 || totalMinor > left) {
      const detail = 'adjustment amount is above what remains';
      throw new LocalRefusal(400, 'adjustment_amount_above_remaining_allowed', detail);
    }
    return this.adjust(transaction, {
      action: 'refund',
      status: this.refunds === 'approved' ? 'approved' : 'pending_approval',
      reason: wish.reason,
      totalMinor,
    });
  }

  adjust(
    transaction: ITransactionResponse,
    parts: Pick<IAdjustmentResponse, 'action' | 'status' | 'reason'> & {
      readonly totalMinor: number;
    },
  ): IAdjustmentResponse {
    const adjustment = adjustmentShape(this.#stamp('adj'), { transaction, ...parts });
    return this.#keep(this.adjustments, adjustment, 'adjustment.created');
  }

  setAdjustment(id: string, status: IAdjustmentResponse['status']): IAdjustmentResponse {
    return this.#change(this.adjustments.get(id)!, { status }, 'adjustment.updated');
  }

  /** The buyer's bank takes the newest charge back, or gives it to the seller again. */
  dispute(transactionId: string, dispute: 'open' | 'won' | 'lost'): void {
    const transaction = this.newestCharge(transactionId);
    const totalMinor = Number(transaction.details!.totals!.grand_total);
    if (dispute === 'open') {
      const chargeback = { action: 'chargeback', status: 'approved', reason: 'fraud' } as const;
      this.adjust(transaction, { ...chargeback, totalMinor });
    } else if (dispute === 'won') {
      const open = [...this.adjustments.values()].find(
        (one) => one.transaction_id === transaction.id && one.action === 'chargeback',
      )!;
      this.setAdjustment(open.id, 'reversed');
      const reverse = { action: 'chargeback_reverse', status: 'approved', reason: 'won' } as const;
      this.adjust(transaction, { ...reverse, totalMinor });
    }
  }

  /** What was charged last for what this transaction began. */
  newestCharge(transactionId: string): ITransactionResponse {
    const checkout = this.transactions.get(transactionId)!;
    if (!checkout.subscription_id) return checkout;
    return [...this.transactions.values()].findLast(
      (one) => one.subscription_id === checkout.subscription_id && one.status === 'completed',
    )!;
  }

  /** What time has brought by now. */
  pass(): void {
    for (const subscription of this.subscriptions.values()) {
      while (this.#step(subscription)) {
        // Several periods may have passed.
      }
    }
    if (this.refunds !== 'in-ten-minutes') return;
    for (const { id, status, created_at: at } of this.adjustments.values()) {
      const isDue = instantOf('created_at', at) + APPROVAL_NS <= this.#clock.now();
      if (status === 'pending_approval' && isDue) this.setAdjustment(id, 'approved');
    }
  }

  /** A card that works again pays what is due. */
  mendCard(subscriptionId: string): void {
    this.brokenCards.delete(subscriptionId);
    const due = [...this.transactions.values()].findLast(
      (one) => one.subscription_id === subscriptionId && one.status === 'past_due',
    )!;
    const subscription = this.subscriptions.get(subscriptionId)!;
    this.#change(subscription, { status: 'active' }, 'subscription.updated');
    this.#complete(due);
  }

  #step(subscription: ISubscriptionResponse): boolean {
    const now = this.#clock.now();
    const { status, scheduled_change: change, current_billing_period: period } = subscription;
    if (status === 'canceled' || status === 'paused' || !period) return false;
    if (change && instantOf('effective_at', change.effective_at) <= now) {
      this.#end(subscription, change.effective_at);
      return true;
    }
    if (status === 'past_due') {
      if (instantOf('starts_at', period.starts_at) + DUNNING_NS > now) return false;
      this.#end(subscription, this.now);
      return true;
    }
    if (change || instantOf('ends_at', period.ends_at) > now) return false;
    this.#renew(subscription);
    return true;
  }

  #renew(subscription: ISubscriptionResponse): void {
    const period = {
      starts_at: subscription.current_billing_period!.ends_at,
      ends_at: paddleTime(this.#nextPeriod(subscription)),
    };
    const transaction = transactionShape(this.#stamp('txn'), {
      origin: 'subscription_recurring',
      customerId: subscription.customer_id,
      addressId: subscription.address_id,
      price: subscription.items[0]!.price,
      taxPercent: this.#taxOf(subscription.address_id),
      customData: subscription.custom_data ?? null,
      lineItemId: this.#id('txnitm'),
    });
    transaction.subscription_id = subscription.id;
    transaction.billing_period = period;
    this.#keep(this.transactions, transaction, 'transaction.created');
    const isBroken = this.brokenCards.has(subscription.id);
    this.#change(
      subscription,
      {
        status: isBroken ? 'past_due' : 'active',
        current_billing_period: period,
        next_billed_at: period.ends_at,
      },
      isBroken ? 'subscription.past_due' : 'subscription.updated',
    );
    if (isBroken) this.#change(transaction, { status: 'past_due' }, 'transaction.past_due');
    else this.#complete(transaction);
  }

  /** The day of the month on which it began. */
  #nextPeriod(subscription: ISubscriptionResponse): EpochNs {
    const first = instantOf('started_at', subscription.started_at);
    const end = instantOf('ends_at', subscription.current_billing_period!.ends_at);
    let months = 1;
    while (monthsAfter(first, months) <= end) months += 1;
    return monthsAfter(first, months);
  }

  #subscribe(transaction: ITransactionResponse): void {
    const endsAt = paddleTime(monthsAfter(this.#clock.now(), 1));
    const subscription = subscriptionShape(this.#stamp('sub'), transaction, endsAt);
    this.#keep(this.subscriptions, subscription, 'subscription.created');
    this.#tell('subscription.activated', subscription);
    transaction.subscription_id = subscription.id;
    transaction.billing_period = subscription.current_billing_period!;
  }

  #complete(transaction: ITransactionResponse): ITransactionResponse {
    const { now } = this;
    const attempt = this.#id('pay');
    const change = {
      status: 'completed',
      billed_at: now,
      invoice_id: this.#id('inv'),
      invoice_number: `325-${this.#ids}`,
      payments: [
        {
          payment_attempt_id: attempt,
          stored_payment_method_id: attempt,
          payment_method_id: null,
          amount: transaction.details!.totals!.grand_total,
          status: 'captured',
          error_code: null,
          method_details: null,
          created_at: now,
          captured_at: now,
        },
      ],
    } as const;
    return this.#change(
      transaction,
      { ...change, payments: [...change.payments] },
      'transaction.completed',
    );
  }

  #end(subscription: ISubscriptionResponse, at: string): ISubscriptionResponse {
    const change = {
      status: 'canceled',
      canceled_at: at,
      scheduled_change: null,
      current_billing_period: null,
      next_billed_at: null,
    } as const;
    return this.#change(subscription, change, 'subscription.canceled');
  }

  #taxOf(addressId: string | null): number {
    const country = addressId === null ? '' : (this.addresses.get(addressId)?.country_code ?? '');
    return TAX_PERCENT[country] ?? 0;
  }

  #change<Kept extends { updated_at: string }>(
    kept: Kept,
    change: Partial<Kept>,
    event: IEventName,
  ): Kept {
    Object.assign(kept, change, { updated_at: this.now });
    this.#tell(event, kept);
    return kept;
  }

  #keep<Kept extends { id: string }>(into: Map<string, Kept>, kept: Kept, event: IEventName): Kept {
    into.set(kept.id, kept);
    this.#tell(event, kept);
    return kept;
  }

  #tell(name: IEventName, data: object): void {
    const event: IEventsResponse<object> = {
      event_id: this.#id('evt'),
      notification_id: null,
      event_type: name,
      occurred_at: this.now,
      data: structuredClone(data),
    };
    this.events.push(event);
    this.onEvent(event);
  }

  #stamp(prefix: string): Stamped {
    return { id: this.#id(prefix), now: this.now };
  }

  /** As Paddle's, they sort by when they were made. */
  #id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_01${this.#name}${String(this.#ids).padStart(23, '0')}`;
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
