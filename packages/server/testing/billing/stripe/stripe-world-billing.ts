/** Money at the local Stripe: invoices are paid, declined and retried, subscriptions renew and end. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type Stripe from 'stripe';
import { monthsAfter } from '../../../src/test-provider/test-payment.ts';
import { StripeRefusal, type StripeWorld } from './stripe-world.ts';
import {
  chargeObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  refundObject,
} from './stripe-world-money.ts';

const SECOND_NS = 1_000_000_000n;
/** A renewal is a draft for an hour, during which the seller may add to it. */
const DRAFT_S = 3_600;
const RETRY_S = 4 * 86_400;
const ATTEMPTS_MAX = 4;

/** The next occurrence of the start's day of the month. */
export function monthAfter(anchor: number, instant: number): number {
  let months = 1;
  const at = () => Number(monthsAfter((BigInt(anchor) * SECOND_NS) as EpochNs, months) / SECOND_NS);
  while (at() <= instant) months += 1;
  return at();
}

/** Finalises the invoice and tries to charge it. */
export function chargeInvoice(
  world: StripeWorld,
  invoice: Stripe.Invoice,
  by: 'card' | 'bank' = 'card',
): void {
  const terms = world.termsOf(subscriptionIdOf(invoice));
  const intent = world.add(world.intents, intentObject(world.id('pi'), world.now, terms));
  finalise(world, invoice, intent.id);
  collect(world, invoice, intent, by);
}

/** A purchase's invoice, already paid. */
export function firstInvoice(world: StripeWorld, invoice: Stripe.Invoice, intent: string): void {
  finalise(world, invoice, intent);
  markPaid(world, invoice);
}

function finalise(world: StripeWorld, invoice: Stripe.Invoice, intent: string): void {
  const payment = invoicePaymentObject(world.id('inpay'), world.now, invoice, intent);
  world.add(world.invoicePayments, payment);
  invoice.status = 'open';
  invoice.status_transitions.finalized_at = world.now;
  invoice.number = `TL-${world.invoices.length}`;
  invoice.hosted_invoice_url = `https://invoice.stripe.com/i/${invoice.id}`;
  invoice.invoice_pdf = `https://pay.stripe.com/invoice/${invoice.id}/pdf`;
}

function collect(
  world: StripeWorld,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
  by: 'card' | 'bank',
): void {
  const charge = world.add(world.charges, chargeObject(world.id('ch'), world.now, intent));
  intent.latest_charge = charge.id;
  invoice.attempted = true;
  invoice.attempt_count += 1;
  if (by === 'bank') {
    intent.status = 'processing';
    return;
  }
  if (world.declined.has(String(invoice.customer))) {
    decline(world, intent, charge);
    return;
  }
  succeed(world, intent, charge);
  markPaid(world, invoice);
}

export function succeed(
  world: StripeWorld,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
): void {
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
  Object.assign(charge, { status: 'succeeded', paid: true, amount_captured: charge.amount });
  world.emit('charge.succeeded', charge);
}

function decline(world: StripeWorld, intent: Stripe.PaymentIntent, charge: Stripe.Charge): void {
  intent.status = 'requires_payment_method';
  Object.assign(charge, { status: 'failed', failure_code: 'card_declined' });
  const invoice = invoiceOfIntent(world, intent);
  if (invoice === undefined) return;
  const isLast = invoice.attempt_count >= ATTEMPTS_MAX;
  invoice.next_payment_attempt = isLast ? null : world.now + RETRY_S;
  world.pending.invoices.add(invoice);
  const subscription = world.get(world.subscriptions, subscriptionIdOf(invoice));
  world.emit('invoice.payment_failed', invoice);
  if (isLast) cancelSubscription(world, subscription.id);
  else changeSubscription(world, subscription, { status: 'past_due' });
}

function markPaid(world: StripeWorld, invoice: Stripe.Invoice): void {
  Object.assign(invoice, {
    status: 'paid',
    amount_paid: invoice.total,
    amount_remaining: 0,
    next_payment_attempt: null,
  });
  invoice.status_transitions.paid_at = world.now;
  world.pending.invoices.delete(invoice);
  const payment = world.invoicePayments.findLast((one) => one.invoice === invoice.id)!;
  Object.assign(payment, { status: 'paid', amount_paid: invoice.total });
  payment.status_transitions.paid_at = world.now;
  world.emit('invoice.paid', invoice);
  if (invoice.parent === null) return;
  const subscription = world.get(world.subscriptions, subscriptionIdOf(invoice));
  if (subscription.status === 'past_due') {
    changeSubscription(world, subscription, { status: 'active' });
  }
}

/** The bank's decision about a pending payment. */
export function settleIntent(
  world: StripeWorld,
  intent: Stripe.PaymentIntent,
  isPaid: boolean,
): void {
  if (intent.status !== 'processing') throw new Error(`${intent.id} is ${intent.status}`);
  const charge = world.get(world.charges, String(intent.latest_charge));
  if (!isPaid) {
    decline(world, intent, charge);
    return;
  }
  succeed(world, intent, charge);
  const invoice = invoiceOfIntent(world, intent);
  if (invoice !== undefined) markPaid(world, invoice);
}

export function changeSubscription(
  world: StripeWorld,
  subscription: Stripe.Subscription,
  change: Partial<Stripe.Subscription>,
): void {
  Object.assign(subscription, change);
  world.emit('customer.subscription.updated', subscription);
}

export function cancelSubscription(world: StripeWorld, id: string): Stripe.Subscription {
  const subscription = world.get(world.subscriptions, id);
  if (subscription.status === 'canceled') {
    throw new StripeRefusal(404, 'resource_missing', `No such subscription: '${id}'`, 'id');
  }
  Object.assign(subscription, {
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? world.now,
    ended_at: world.now,
  });
  world.pending.subscriptions.delete(subscription);
  for (const invoice of world.pending.invoices) {
    if (subscriptionIdOf(invoice) === id) world.pending.invoices.delete(invoice);
  }
  world.emit('customer.subscription.deleted', subscription);
  return subscription;
}

export function voidInvoice(world: StripeWorld, id: string): Stripe.Invoice {
  const invoice = world.get(world.invoices, id);
  if (invoice.status !== 'open') {
    const message = `You can only void open invoices, and this one is ${invoice.status}.`;
    throw new StripeRefusal(400, null, message);
  }
  const payment = world.invoicePayments.find((one) => one.invoice === id)!;
  const intent = world.get(world.intents, String(payment.payment.payment_intent));
  if (intent.status === 'processing') {
    throw new StripeRefusal(400, null, 'You cannot void an invoice with a processing payment.');
  }
  invoice.status = 'void';
  invoice.status_transitions.voided_at = world.now;
  world.pending.invoices.delete(invoice);
  world.emit('invoice.voided', invoice);
  return invoice;
}

/** Disputes that withhold no money. */
const IDLE: readonly Stripe.Dispute.Status[] = [
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
];

export function refundCharge(
  world: StripeWorld,
  id: string,
  wished: number | null,
  metadata: Record<string, string>,
): Stripe.Refund {
  const charge = world.get(world.charges, id, 'charge');
  const left = charge.amount_captured - charge.amount_refunded;
  const isTaken = ({ charge: of, status }: Stripe.Dispute) => of === id && !IDLE.includes(status);
  if (world.disputes.some(isTaken)) {
    throw new StripeRefusal(400, 'charge_disputed', `Charge ${id} has been charged back.`);
  }
  if (left === 0) {
    const message = `Charge ${id} has already been refunded.`;
    throw new StripeRefusal(400, 'charge_already_refunded', message);
  }
  const amount = wished ?? left;
  if (amount > left) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`;
    throw new StripeRefusal(400, null, message, 'amount');
  }
  const refund = refundObject(world.id('re'), world.now, charge, { amount, metadata });
  world.add(world.refunds, refund);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  world.emit('charge.refunded', charge);
  return refund;
}

/** The buyer's bank, in Stripe's terms. */
export function disputeCharge(
  world: StripeWorld,
  id: string,
  status: Stripe.Dispute.Status,
): Stripe.Dispute {
  const charge = world.get(world.charges, id);
  const known = world.disputes.find((one) => one.charge === id);
  if (known !== undefined) {
    known.status = status;
    world.emit('charge.dispute.closed', known);
    return known;
  }
  const dispute = world.add(world.disputes, disputeObject(world.id('du'), world.now, charge));
  dispute.status = status;
  charge.disputed = true;
  world.emit('charge.dispute.created', dispute);
  return dispute;
}

/** Processes what is due, each event at its own instant. */
export function catchUp(world: StripeWorld, expire: (id: string) => void): void {
  const { now } = world;
  for (;;) {
    const due = dueOf(world, expire).reduce((a, b) => (b.at < a.at ? b : a), NEVER_DUE);
    if (due.at > now) break;
    world.at = due.at;
    due.run();
  }
  world.at = null;
}

const NEVER_DUE = { at: Number.POSITIVE_INFINITY, run: () => {} };

function dueOf(world: StripeWorld, expire: (id: string) => void): (typeof NEVER_DUE)[] {
  const { sessions, subscriptions, invoices } = world.pending;
  return [
    ...[...sessions].map(({ id, expires_at: at }) => ({ at, run: () => expire(id) })),
    ...[...subscriptions].map((one) => ({ at: endOf(one), run: () => renew(world, one) })),
    ...[...invoices].map((one) => ({ at: collectAt(one), run: () => again(world, one) })),
  ];
}

function endOf({ items, cancel_at: cancelAt }: Stripe.Subscription): number {
  const end = items.data[0]!.current_period_end;
  return cancelAt === null ? end : Math.min(cancelAt, end);
}

function collectAt({ status, created, next_payment_attempt: next }: Stripe.Invoice): number {
  return status === 'draft' ? created + DRAFT_S : (next ?? Number.POSITIVE_INFINITY);
}

function renew(world: StripeWorld, subscription: Stripe.Subscription): void {
  const { id, cancel_at: cancelAt, cancel_at_period_end: isEnding } = subscription;
  if (isEnding || (cancelAt !== null && cancelAt <= world.now)) {
    cancelSubscription(world, id);
    return;
  }
  const item = subscription.items.data[0]!;
  const start = item.current_period_end;
  const end = monthAfter(subscription.billing_cycle_anchor, start);
  item.current_period_start = start;
  item.current_period_end = end;
  const { price } = item;
  const of = { terms: world.termsOf(id), subscription: id, price, start, end, isFirst: false };
  const invoice = world.add(world.invoices, invoiceObject(world.id('in'), start, of));
  world.pending.invoices.add(invoice);
  changeSubscription(world, subscription, { latest_invoice: invoice.id });
}

function again(world: StripeWorld, invoice: Stripe.Invoice): void {
  if (invoice.status === 'draft') {
    world.pending.invoices.delete(invoice);
    chargeInvoice(world, invoice);
    return;
  }
  const payment = world.invoicePayments.find((one) => one.invoice === invoice.id)!;
  collect(world, invoice, world.get(world.intents, String(payment.payment.payment_intent)), 'card');
}

function invoiceOfIntent(
  world: StripeWorld,
  { id }: Stripe.PaymentIntent,
): Stripe.Invoice | undefined {
  const payment = world.invoicePayments.find((one) => one.payment.payment_intent === id);
  return payment === undefined ? undefined : world.get(world.invoices, String(payment.invoice));
}

function subscriptionIdOf(invoice: Stripe.Invoice): string {
  return String(invoice.parent?.subscription_details?.subscription);
}
