/**
 * Finds the checkout of any object that a Stripe event names: subscriptions, invoices, payment intents, charges,
 * refunds and disputes. Only the checkout has our order.
 */

import type Stripe from 'stripe';
import { orNull } from './stripe-client.ts';
import { findSession, intentOfInvoice } from './stripe-hearing.ts';
import { idOf, listOf, orderOf, subscriptionOfInvoice } from './stripe-shapes.ts';

const NAME = /^([a-z]{2,4})_[0-9A-Za-z_]{1,250}$/;

/** Null: not ours. */
export function locateSession(api: Stripe, objectRef: string): Promise<string | null> {
  const prefix = NAME.exec(objectRef)?.[1];
  switch (prefix) {
    case 'cs':
      return findSession(api, objectRef).then((session) => session?.id ?? null);
    case 'sub':
      return sessionBy(api, { subscription: objectRef });
    case 'in':
      return byInvoice(api, objectRef);
    case 'pi':
      return byIntent(api, objectRef);
    case 'ch':
    case 'py':
      return byCharge(api, objectRef);
    case 're':
    case 'pyr':
      return byMoved(api, orNull(api.refunds.retrieve(objectRef)));
    case 'dp':
    case 'du':
      return byMoved(api, orNull(api.disputes.retrieve(objectRef)));
    default:
      return Promise.resolve(null);
  }
}

async function sessionBy(
  api: Stripe,
  by: Pick<Stripe.Checkout.SessionListParams, 'subscription' | 'payment_intent'>,
): Promise<string | null> {
  const found = await orNull(api.checkout.sessions.list({ ...by, limit: 1 }));
  const session = found === null ? undefined : listOf(found, 'sessions').at(0);
  return session === undefined || orderOf(session) === null ? null : session.id;
}

async function byInvoice(api: Stripe, id: string): Promise<string | null> {
  const invoice = await orNull(api.invoices.retrieve(id, { expand: ['payments'] }));
  if (invoice === null) return null;
  const subscription = subscriptionOfInvoice(invoice);
  if (subscription !== null) return sessionBy(api, { subscription });
  const intent = intentOfInvoice(invoice);
  return intent === null ? null : sessionBy(api, { payment_intent: intent });
}

/** A purchase is found directly, a subscription by the invoice that the intent pays. */
async function byIntent(api: Stripe, id: string): Promise<string | null> {
  const session = await sessionBy(api, { payment_intent: id });
  if (session !== null) return session;
  const payment = { type: 'payment_intent', payment_intent: id } as const;
  const payments = await orNull(api.invoicePayments.list({ payment, limit: 1 }));
  const paid = payments === null ? undefined : listOf(payments, 'invoice_payments').at(0);
  const invoice = idOf(paid?.invoice);
  return invoice === null ? null : byInvoice(api, invoice);
}

async function byCharge(api: Stripe, id: string): Promise<string | null> {
  const charge = await orNull(api.charges.retrieve(id));
  const intent = idOf(charge?.payment_intent);
  return intent === null ? null : byIntent(api, intent);
}

async function byMoved(
  api: Stripe,
  asked: Promise<Stripe.Refund | Stripe.Dispute | null>,
): Promise<string | null> {
  const moved = await asked;
  const intent = idOf(moved?.payment_intent);
  if (intent !== null) return byIntent(api, intent);
  const charge = idOf(moved?.charge);
  return charge === null ? null : byCharge(api, charge);
}
