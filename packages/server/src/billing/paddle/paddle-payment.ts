/**
 * Converts Paddle's objects to the port's answer about an order: a pure function of Paddle's responses. An unknown
 * status or a missing field is an `UpstreamError` that names it, never a right.
 */

import type { Adjustment, Subscription, Transaction } from '@paddle/paddle-node-sdk';
import type { Payment, PaymentKind, PaymentState } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type ProviderObject, UpstreamError } from '../payment-provider.ts';
import { type TakenBack, takenBack } from './paddle-adjustments.ts';
import { fieldFault, instantOf, minorOf } from './paddle-fields.ts';

/** The field of `custom_data` with our order; Paddle copies it to the subscription and its renewals. */
export const ORDER_MEMBER = 'tapeloom_order';

/** Origins of charges for the agreed price; other charges of an operator have no paid period. */
const CHARGE_ORIGINS: readonly string[] = ['api', 'web', 'subscription_recurring'];

export interface PaddleSubscription {
  readonly subscription: Subscription;
  /** Its transactions, newest first. */
  readonly transactions: readonly Transaction[];
}

export interface PaddlePayment {
  /** The transaction of the checkout. */
  readonly checkout: Transaction;
  /** Null: a purchase, or not paid yet. */
  readonly running: PaddleSubscription | null;
  readonly adjustments: readonly Adjustment[];
}

/** Null: not a transaction of ours. */
export function orderOf({ customData }: Pick<Transaction, 'customData'>): string | null {
  const order = (customData as Record<string, unknown> | null)?.[ORDER_MEMBER];
  return typeof order === 'string' && order !== '' ? order : null;
}

export function kindOf(checkout: Transaction): PaymentKind {
  const { billingCycle } = agreedPrice(checkout);
  if (billingCycle === null) return 'purchase';
  const { interval, frequency } = billingCycle;
  if (interval === 'month' && frequency === 1) return 'subscription';
  throw new UpstreamError('paddle sent a price.billing_cycle that is not one month');
}

export function isPaid({ status }: Transaction): boolean {
  return status === 'paid' || status === 'completed';
}

/** The charges for the order and its renewals, newest first. */
export function paidCharges({ checkout, running }: PaddlePayment): readonly Transaction[] {
  const transactions = running?.transactions ?? [checkout];
  return transactions.filter((one) => CHARGE_ORIGINS.includes(one.origin) && isPaid(one));
}

export function takenBackOf(transaction: Transaction, adjustments: readonly Adjustment[]) {
  return takenBack(adjustments.filter(({ transactionId }) => transactionId === transaction.id));
}

export function totalOf({ details }: Transaction): number {
  return minorOf('details.totals.grand_total', details?.totals?.grandTotal);
}

export function providerObject(payment: PaddlePayment): ProviderObject {
  const { checkout, running } = payment;
  const orderId = orderOf(checkout);
  if (orderId === null) throw fieldFault(`custom_data.${ORDER_MEMBER}`, null);
  const { currencyCode } = agreedPrice(checkout).unitPrice;
  const kind = kindOf(checkout);
  const said = running === null ? sayOfCheckout(checkout, kind) : sayOfSubscription(payment);
  return {
    ref: checkout.id,
    orderId,
    kind,
    ...said,
    state: stateAfter(said.state, payment),
    revision: null,
    amountMinor: priceOf(checkout),
    currency: currencyCode,
  };
}

type Said = Omit<Payment, 'kind'>;

const NOT_PAID = { paidAt: null, paidUntil: null, cancelAtPeriodEnd: false } as const;

/** Our checkouts have one item, once. */
function agreedPrice({ items }: Transaction) {
  const [item] = items;
  const isOne = items.length === 1 && item?.quantity === 1 && item.price !== null;
  if (!isOne) throw new UpstreamError('paddle sent items that differ from the order');
  return item.price!;
}

/** Subtracts a discount: a buyer can enter any of the operator's discount codes, whatever its purpose. */
function priceOf(checkout: Transaction): number {
  const price = minorOf('price.unit_price.amount', agreedPrice(checkout).unitPrice.amount);
  const discount = checkout.details?.totals?.discount ?? '0';
  return Math.max(0, price - minorOf('details.totals.discount', discount));
}

function sayOfCheckout(checkout: Transaction, kind: PaymentKind): Said {
  const { status } = checkout;
  switch (status) {
    case 'draft':
    case 'ready':
    case 'billed':
    // The card was declined; another may be tried.
    case 'past_due':
      return { state: 'open', ...NOT_PAID };
    case 'canceled':
      return { state: 'failed', ...NOT_PAID };
    case 'paid':
    case 'completed':
      break;
    default:
      throw fieldFault('transaction.status', status satisfies never);
  }
  if (kind === 'purchase') return { ...NOT_PAID, state: 'paid', paidAt: paidAtOf(checkout) };
  // Paddle creates the subscription between `paid` and `completed`, within moments.
  if (status === 'paid') return { state: 'open', ...NOT_PAID };
  throw fieldFault('transaction.subscription_id', null);
}

function sayOfSubscription(payment: PaddlePayment): Said {
  const { checkout, running } = payment;
  const { subscription } = running!;
  const paidAt = paidAtOf(checkout);
  const cancelAtPeriodEnd = subscription.scheduledChange?.action === 'cancel';
  const { status } = subscription;
  switch (status) {
    case 'active':
    case 'trialing': {
      const paidUntil = periodOf(subscription, 'ends_at');
      return {
        state: cancelAtPeriodEnd ? 'cancelled' : 'paid',
        paidAt,
        paidUntil,
        cancelAtPeriodEnd,
      };
    }
    case 'past_due':
      // The period has advanced by then without a payment.
      return {
        state: 'past_due',
        paidAt,
        paidUntil: paidEnd(payment) ?? periodOf(subscription, 'starts_at'),
        cancelAtPeriodEnd,
      };
    case 'paused':
      return ended(payment, paidAt, instantOf('subscription.paused_at', subscription.pausedAt));
    case 'canceled':
      return ended(payment, paidAt, instantOf('subscription.canceled_at', subscription.canceledAt));
    default:
      throw fieldFault('subscription.status', status satisfies never);
  }
}

function ended(payment: PaddlePayment, paidAt: EpochNs, at: EpochNs): Said {
  const paid = paidEnd(payment);
  const paidUntil = paid === null || at < paid ? at : paid;
  return { state: 'ended', paidAt, paidUntil, cancelAtPeriodEnd: false };
}

function periodOf({ currentBillingPeriod }: Subscription, edge: 'starts_at' | 'ends_at'): EpochNs {
  const instant =
    edge === 'starts_at' ? currentBillingPeriod?.startsAt : currentBillingPeriod?.endsAt;
  return instantOf(`subscription.current_billing_period.${edge}`, instant);
}

/** The end of the newest paid period; null: Paddle does not report one. */
function paidEnd(payment: PaddlePayment): EpochNs | null {
  const ends = paidCharges(payment).flatMap(({ billingPeriod }) =>
    billingPeriod === null ? [] : [instantOf('billing_period.ends_at', billingPeriod.endsAt)],
  );
  return ends.reduce<EpochNs | null>(
    (last, end) => (last === null || end > last ? end : last),
    null,
  );
}

function paidAtOf({ billedAt, payments }: Transaction): EpochNs {
  const captured = payments.find(({ status }) => status === 'captured')?.capturedAt;
  return instantOf('transaction.billed_at', billedAt ?? captured);
}

/** Money taken back decides: a chargeback of any charge, or a full refund of the newest. */
function stateAfter(state: PaymentState, payment: PaddlePayment): PaymentState {
  const charges = paidCharges(payment);
  const taken = charges.map((one) => takenBackOf(one, payment.adjustments));
  if (taken.some(({ isDisputed }) => isDisputed)) return 'disputed';
  const [newest] = charges;
  return newest !== undefined && isAllRefunded(newest, taken[0]!) ? 'refunded' : state;
}

export function isAllRefunded(transaction: Transaction, { refundedMinor }: TakenBack): boolean {
  const total = totalOf(transaction);
  return total > 0 && refundedMinor >= total;
}
