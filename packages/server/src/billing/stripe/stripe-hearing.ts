/** What has to be asked of Stripe to know of one payment: one request while nobody has paid, three at most after it. */

import type Stripe from 'stripe';
import { UpstreamError } from '../payment-provider.ts';
import { orNull } from './stripe-client.ts';
import { type Heard, newestPeriod } from './stripe-payment.ts';
import { expanded, idOf, listOf, orderOf, unknownValue } from './stripe-shapes.ts';

const SESSION_ID = /^cs_[0-9A-Za-z_]{1,250}$/;
/** Enough to meet the newest period behind whatever an operator billed on the side. */
const INVOICES_MAX = 4;
const CHARGES_MAX = 10;
const DISPUTES_MAX = 10;

/** With what belongs to it as objects; null: Stripe does not know it, or it is nothing of ours. */
export async function findSession(
  api: Stripe,
  ref: string,
): Promise<Stripe.Checkout.Session | null> {
  if (!SESSION_ID.test(ref)) return null;
  const expand = ['line_items', 'subscription', 'invoice', 'payment_intent.latest_charge'];
  const session = await orNull(api.checkout.sessions.retrieve(ref, { expand }));
  if (session === null || orderOf(session) === null) return null;
  if (session.id !== ref) throw unknownValue('session.id', session.id);
  return session;
}

/** Rejects for what there is not. */
export async function knownSession(api: Stripe, ref: string): Promise<Stripe.Checkout.Session> {
  const session = await findSession(api, ref);
  if (session === null) throw new UpstreamError(`stripe knows no checkout ${ref}`);
  return session;
}

export async function hear(api: Stripe, session: Stripe.Checkout.Session): Promise<Heard> {
  if (session.status !== 'complete') return { session, invoices: [], charge: null, disputes: [] };
  const subscription = idOf(session.subscription);
  const invoices = subscription === null ? [] : await paidInvoices(api, subscription);
  const charge =
    subscription === null ? chargeOfPurchase(session) : await chargeOfPeriod(api, invoices);
  const disputes = charge?.disputed === true ? await disputesOf(api, charge) : [];
  return { session, invoices, charge, disputes };
}

/** What an invoice was, or is to be, paid by; null: by nothing that Stripe collected. */
export function intentOfInvoice(invoice: Stripe.Invoice): string | null {
  const payments = listOf(invoice.payments, 'invoice.payments');
  const paid = payments.find(({ status }) => status === 'paid') ?? payments.at(0);
  return idOf(paid?.payment?.payment_intent);
}

async function paidInvoices(api: Stripe, subscription: string): Promise<readonly Stripe.Invoice[]> {
  const asked = { subscription, status: 'paid', limit: INVOICES_MAX, expand: ['data.payments'] };
  const invoices = listOf(await api.invoices.list(asked), 'invoices');
  const other = invoices.find(({ status }) => status !== 'paid');
  if (other !== undefined) throw unknownValue('invoice.status', other.status);
  return invoices;
}

function chargeOfPurchase(session: Stripe.Checkout.Session): Stripe.Charge | null {
  const intent = expanded(session.payment_intent, 'session.payment_intent');
  if (intent === null) return null;
  const charge = expanded(intent.latest_charge, 'payment_intent.latest_charge');
  return charge?.status === 'succeeded' ? charge : null;
}

async function chargeOfPeriod(
  api: Stripe,
  invoices: readonly Stripe.Invoice[],
): Promise<Stripe.Charge | null> {
  const period = newestPeriod(invoices);
  // What was paid elsewhere, or with a credit, cannot be taken back by a bank.
  const intent = period === null ? null : intentOfInvoice(period.invoice);
  if (intent === null) return null;
  const asked = { payment_intent: intent, limit: CHARGES_MAX };
  const charges = listOf(await api.charges.list(asked), 'charges');
  const charge = charges.find(({ status }) => status === 'succeeded');
  if (charge === undefined) throw new UpstreamError(`stripe has no charge of the paid ${intent}`);
  return charge;
}

async function disputesOf(api: Stripe, { id }: Stripe.Charge): Promise<readonly Stripe.Dispute[]> {
  return listOf(await api.disputes.list({ charge: id, limit: DISPUTES_MAX }), 'disputes');
}
