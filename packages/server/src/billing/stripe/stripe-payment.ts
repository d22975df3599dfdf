/**
 * Derives a payment from Stripe's checkout, subscription and charges. The paid period comes from the paid invoice: a
 * subscription's period advances before the renewal is paid. Refunds and disputes come from the charge.
 */

import type { Payment, PaymentState } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type Stripe from 'stripe';
import { type ProviderObject, UpstreamError } from '../payment-provider.ts';
import {
  amountOf,
  booleanOf,
  currencyOf,
  expanded,
  instantOf,
  listOf,
  orderOf,
  unknownValue,
} from './stripe-shapes.ts';

/** All data that is needed to judge a payment. */
export interface Heard {
  /** With `line_items`, `invoice`, `subscription` and `payment_intent.latest_charge` as objects. */
  readonly session: Stripe.Checkout.Session;
  /** For a subscription: its paid invoices, newest first. */
  readonly invoices: readonly Stripe.Invoice[];
  /** The charge of the newest paid period or of the purchase; null: not paid by a charge. */
  readonly charge: Stripe.Charge | null;
  /** Disputes of that charge and of those of earlier months. */
  readonly disputes: readonly Stripe.Dispute[];
}

/** A paid month of a subscription. */
export interface PaidPeriod {
  readonly invoice: Stripe.Invoice;
  readonly endsAt: EpochNs;
}

type Course = 'waiting' | 'running' | 'past_due' | 'over' | 'never';

/** `trialing` and `paused` are missing: they are not sold here, so it is undefined what they grant. */
const COURSES: ReadonlyMap<string, Course> = new Map([
  ['incomplete', 'waiting'],
  ['incomplete_expired', 'never'],
  ['active', 'running'],
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['canceled', 'over'],
]);

/** Whether the bank has or claims the money. Inquiries (`warning_…`) move none; `prevented` was refunded before. */
const DISPUTES: ReadonlyMap<string, boolean> = new Map([
  ['needs_response', true],
  ['under_review', true],
  ['appeal_needs_response', true],
  ['appeal_under_review', true],
  ['lost', true],
  ['won', false],
  ['prevented', false],
  ['warning_needs_response', false],
  ['warning_under_review', false],
  ['warning_closed', false],
]);

/** The state of a purchase that is unpaid when its checkout is complete. */
const INTENTS: ReadonlyMap<string, PaymentState> = new Map([
  ['processing', 'open'],
  // A voucher or a transfer that the buyer still has to pay.
  ['requires_action', 'open'],
  ['requires_confirmation', 'open'],
  // Stripe also reports this a moment before the checkout is paid.
  ['succeeded', 'open'],
  ['requires_payment_method', 'failed'],
  ['canceled', 'failed'],
]);

/** Null: it is not ours. */
export function providerObjectOf(heard: Heard): ProviderObject | null {
  const { session } = heard;
  const orderId = orderOf(session);
  if (orderId === null) return null;
  const { amountMinor, currency } = priceOf(session);
  return { ...paymentOf(heard), ref: session.id, orderId, revision: null, amountMinor, currency };
}

/** The period that extends furthest; null: none was ever paid. */
export function newestPeriod(invoices: readonly Stripe.Invoice[]): PaidPeriod | null {
  let newest: PaidPeriod | null = null;
  for (const invoice of invoices) {
    for (const { parent, period } of listOf(invoice.lines, 'invoice.lines')) {
      const details = parent?.subscription_item_details;
      if (details == null || details.proration) continue;
      const endsAt = instantOf(period?.end, 'invoice.lines.period.end');
      if (newest === null || endsAt > newest.endsAt) newest = { invoice, endsAt };
    }
  }
  return newest;
}

function paymentOf(heard: Heard): Payment {
  const kind = kindOf(heard.session);
  switch (heard.session.status) {
    case 'open':
      return unpaid(kind, 'open');
    case 'expired':
      return unpaid(kind, 'failed');
    case 'complete':
      return kind === 'purchase' ? purchaseOf(heard) : subscriptionOf(heard);
    default:
      throw unknownValue('session.status', heard.session.status);
  }
}

function kindOf({ mode }: Stripe.Checkout.Session): Payment['kind'] {
  if (mode === 'subscription') return 'subscription';
  if (mode === 'payment') return 'purchase';
  throw unknownValue('session.mode', mode);
}

function unpaid(kind: Payment['kind'], state: PaymentState): Payment {
  return { kind, state, paidAt: null, paidUntil: null, cancelAtPeriodEnd: false };
}

function purchaseOf({ session, charge, disputes }: Heard): Payment {
  const intent = expanded(session.payment_intent, 'session.payment_intent');
  if (intent === null) throw unknownValue('session.payment_intent', null);
  if (session.payment_status === 'unpaid') {
    const state = INTENTS.get(intent.status);
    if (state === undefined) throw unknownValue('payment_intent.status', intent.status);
    return unpaid('purchase', state);
  }
  if (session.payment_status !== 'paid') {
    throw unknownValue('session.payment_status', session.payment_status);
  }
  if (intent.status !== 'succeeded') throw unknownValue('payment_intent.status', intent.status);
  if (charge === null) throw unknownValue('payment_intent.latest_charge', null);
  const invoice = expanded(session.invoice, 'session.invoice');
  const paidAt = invoice?.status_transitions?.paid_at ?? charge.created;
  return {
    ...unpaid('purchase', takenBack(charge, disputes) ?? 'paid'),
    paidAt: instantOf(paidAt, 'charge.created'),
  };
}

function subscriptionOf({ session, invoices, charge, disputes }: Heard): Payment {
  const subscription = expanded(session.subscription, 'session.subscription');
  if (subscription === null) throw unknownValue('session.subscription', null);
  const course = COURSES.get(subscription.status);
  if (course === undefined) throw unknownValue('subscription.status', subscription.status);
  const period = newestPeriod(invoices);
  const isOver = course === 'over';
  // While a bank takes its time, the subscription is `active` and its first invoice open.
  if (period === null || course === 'waiting' || course === 'never') {
    return unpaid('subscription', isOver || course === 'never' ? 'failed' : 'open');
  }
  const end = endOf(subscription, isOver);
  const isEnding =
    booleanOf(subscription.cancel_at_period_end, 'subscription.cancel_at_period_end') ||
    (!isOver && end !== null && end <= period.endsAt);
  const running = course === 'past_due' ? 'past_due' : isEnding ? 'cancelled' : 'paid';
  return {
    kind: 'subscription',
    state: takenBack(charge, disputes) ?? (isOver ? 'ended' : running),
    paidAt: firstPaid(session, subscription),
    paidUntil: end !== null && end < period.endsAt ? end : period.endsAt,
    cancelAtPeriodEnd: isEnding,
  };
}

/** When it ended, or a set date on which it will end; null: none. */
function endOf({ ended_at, cancel_at }: Stripe.Subscription, isOver: boolean): EpochNs | null {
  if (isOver) return instantOf(ended_at, 'subscription.ended_at');
  if (cancel_at === undefined) throw unknownValue('subscription.cancel_at', cancel_at);
  return cancel_at === null ? null : instantOf(cancel_at, 'subscription.cancel_at');
}

/** From the checkout's invoice or, if that was written off and later ones were paid, the subscription's start. */
function firstPaid(session: Stripe.Checkout.Session, { start_date }: Stripe.Subscription): EpochNs {
  const first = expanded(session.invoice, 'session.invoice');
  if (first?.status !== 'paid') return instantOf(start_date, 'subscription.start_date');
  return instantOf(first.status_transitions?.paid_at, 'invoice.status_transitions.paid_at');
}

/** Whether a bank has or claims money of it. */
export function isDisputed(disputes: readonly Stripe.Dispute[]): boolean {
  return disputes.some(({ status }) => {
    const isTaken = DISPUTES.get(status);
    if (isTaken === undefined) throw unknownValue('dispute.status', status);
    return isTaken;
  });
}

function takenBack(
  charge: Stripe.Charge | null,
  disputes: readonly Stripe.Dispute[],
): 'disputed' | 'refunded' | null {
  if (isDisputed(disputes)) return 'disputed';
  if (charge === null) return null;
  return booleanOf(charge.refunded, 'charge.refunded') ? 'refunded' : null;
}

/** The price with which the checkout was started, without added tax. */
function priceOf(
  session: Stripe.Checkout.Session,
): Pick<ProviderObject, 'amountMinor' | 'currency'> {
  const lines = listOf(session.line_items, 'session.line_items');
  const [line] = lines;
  if (line === undefined || lines.length > 1) {
    throw new UpstreamError(`stripe sells ${lines.length} things in ${session.id}`);
  }
  const currency = currencyOf(line.currency, 'session.line_items.currency');
  if (line.price === null) return { amountMinor: null, currency };
  const unit = amountOf(line.price?.unit_amount, 'session.line_items.price.unit_amount');
  return { amountMinor: unit * amountOf(line.quantity, 'session.line_items.quantity'), currency };
}
