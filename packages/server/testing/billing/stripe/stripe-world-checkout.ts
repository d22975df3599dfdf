/** Checkouts at the local Stripe: they start, are paid at once or through a bank, and expire. */

import type Stripe from 'stripe';
import { StripeRefusal, type StripeWorld } from './stripe-world.ts';
import {
  chargeInvoice,
  firstInvoice,
  monthAfter,
  settleIntent,
  succeed,
} from './stripe-world-billing.ts';
import { chargeObject, intentObject, invoiceObject } from './stripe-world-money.ts';
import {
  lineItemObject,
  priceObject,
  sessionObject,
  subscriptionObject,
  type Terms,
} from './stripe-world-objects.ts';

/** `bank`: the money arrives days later, or not at all. */
export type PaidBy = 'card' | 'bank';

export function beginCheckout(world: StripeWorld, terms: Terms): Stripe.Checkout.Session {
  const id = world.id('cs_test');
  const session = world.add(world.sessions, sessionObject(id, world.now, terms));
  const price = priceObject(world.id('price'), world.now, terms);
  world.lineItems.set(id, lineItemObject(world.id('li'), price, terms));
  world.terms.set(id, terms);
  world.pending.sessions.add(session);
  return session;
}

export function expireCheckout(world: StripeWorld, id: string): Stripe.Checkout.Session {
  const session = world.get(world.sessions, id);
  if (session.status !== 'open') {
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`;
    throw new StripeRefusal(400, null, message, 'session');
  }
  session.status = 'expired';
  session.url = null;
  world.pending.sessions.delete(session);
  world.emit('checkout.session.expired', session);
  return session;
}

export function payCheckout(world: StripeWorld, id: string, by: PaidBy = 'card'): void {
  const session = world.get(world.sessions, id);
  if (session.status !== 'open') throw new Error(`${id} is ${session.status}`);
  session.status = 'complete';
  session.url = null;
  world.pending.sessions.delete(session);
  if (session.automatic_tax.enabled) session.automatic_tax.status = 'complete';
  if (session.mode === 'subscription') subscribe(world, session, by);
  else purchase(world, session, by);
  world.emit('checkout.session.completed', session);
}

/** The buyer's bank decides days later. */
export function settleCheckout(world: StripeWorld, id: string, isPaid: boolean): void {
  const session = world.get(world.sessions, id);
  const payment = world.invoicePayments.find(({ invoice }) => invoice === session.invoice);
  const intentId = session.payment_intent ?? payment?.payment.payment_intent;
  settleIntent(world, world.get(world.intents, String(intentId)), isPaid);
  if (isPaid) session.payment_status = 'paid';
  if (isPaid && session.mode === 'payment') addInvoice(world, session);
  const outcome = isPaid ? 'succeeded' : 'failed';
  world.emit(`checkout.session.async_payment_${outcome}`, session);
}

function purchase(world: StripeWorld, session: Stripe.Checkout.Session, by: PaidBy): void {
  const terms = world.termsOf(session.id);
  const intent = world.add(world.intents, intentObject(world.id('pi'), world.now, terms));
  const charge = world.add(world.charges, chargeObject(world.id('ch'), world.now, intent));
  world.terms.set(intent.id, terms);
  session.payment_intent = intent.id;
  intent.latest_charge = charge.id;
  if (by === 'bank') {
    intent.status = 'processing';
    return;
  }
  succeed(world, intent, charge);
  session.payment_status = 'paid';
  addInvoice(world, session);
}

/** Stripe creates it after the payment. */
function addInvoice(world: StripeWorld, session: Stripe.Checkout.Session): void {
  const terms = world.termsOf(session.id);
  const { price } = world.lineItems.get(session.id)!;
  const { now } = world;
  const of = { terms, subscription: null, price: price!, start: now, end: now, isFirst: true };
  const invoice = world.add(world.invoices, invoiceObject(world.id('in'), now, of));
  session.invoice = invoice.id;
  firstInvoice(world, invoice, String(session.payment_intent));
}

function subscribe(world: StripeWorld, session: Stripe.Checkout.Session, by: PaidBy): void {
  const terms = world.termsOf(session.id);
  const price = world.lineItems.get(session.id)!.price!;
  const start = world.now;
  const end = monthAfter(start, start);
  const made = subscriptionObject(world.id('sub'), start, end, { terms, price });
  const subscription = world.add(world.subscriptions, made);
  world.terms.set(subscription.id, terms);
  world.pending.subscriptions.add(subscription);
  session.subscription = subscription.id;
  world.emit('customer.subscription.created', subscription);
  const of = { terms, subscription: subscription.id, price, start, end, isFirst: true };
  const invoice = world.add(world.invoices, invoiceObject(world.id('in'), start, of));
  subscription.latest_invoice = invoice.id;
  session.invoice = invoice.id;
  chargeInvoice(world, invoice, by);
  if (by === 'card') session.payment_status = 'paid';
}
