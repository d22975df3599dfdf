/** The requests to judge a payment: one for a purchase, three for a subscription, and one for each disputed charge. */

import type Stripe from 'stripe';
import { UpstreamError } from '../payment-provider.ts';
import { orNull } from './stripe-client.ts';
import { type Heard, newestPeriod } from './stripe-payment.ts';
import { booleanOf, expanded, idOf, listOf, orderOf, unknownValue } from './stripe-shapes.ts';

const SESSION_ID = /^cs_[0-9A-Za-z_]{1,250}$/;
/** Banks take money back for about four months, and an operator may have added an invoice. */
const INVOICES_MAX = 5;
/** Charges of one customer, declined ones included. */
const CHARGES_MAX = 30;
const DISPUTES_MAX = 10;

/** Includes related objects; null: Stripe does not have it, or it is not ours. */
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

/** Rejects if it does not exist. */
export async function knownSession(api: Stripe, ref: string): Promise<Stripe.Checkout.Session> {
  const session = await findSession(api, ref);
  if (session === null) throw new UpstreamError(`stripe has no checkout ${ref}`);
  return session;
}

export async function hear(api: Stripe, session: Stripe.Checkout.Session): Promise<Heard> {
  if (session.status !== 'complete') return { session, invoices: [], charge: null, disputes: [] };
  const subscription = idOf(session.subscription);
  if (subscription === null) {
    const charge = chargeOfPurchase(session);
    const disputes = await disputesOf(api, charge === null ? [] : [charge]);
    return { session, invoices: [], charge, disputes };
  }
  const invoices = await paidInvoices(api, subscription);
  const charges = await chargesOfInvoices(api, invoices);
  const period = newestPeriod(invoices);
  const intent = period === null ? null : intentOfInvoice(period.invoice);
  // A payment elsewhere, or by credit, has no charge.
  const charge = intent === null ? null : (charges.get(intent) ?? null);
  return { session, invoices, charge, disputes: await disputesOf(api, [...charges.values()]) };
}

/** The payment intent that pays an invoice; null: Stripe collected nothing. */
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

/** By payment intent. */
async function chargesOfInvoices(
  api: Stripe,
  invoices: readonly Stripe.Invoice[],
): Promise<ReadonlyMap<string, Stripe.Charge>> {
  const intents = invoices.map((invoice) => intentOfInvoice(invoice)).filter((id) => id !== null);
  const customer = idOf(invoices.at(0)?.customer);
  const found = new Map<string, Stripe.Charge>();
  if (customer === null || intents.length === 0) return found;
  const note = (charges: readonly Stripe.Charge[]) => {
    for (const charge of charges) {
      const intent = idOf(charge.payment_intent);
      const isOurs = intent !== null && intents.includes(intent);
      if (isOurs && charge.status === 'succeeded') found.set(intent, charge);
    }
  };
  note(listOf(await api.charges.list({ customer, limit: CHARGES_MAX }), 'charges'));
  for (const intent of intents) {
    if (found.has(intent)) continue;
    note(listOf(await api.charges.list({ payment_intent: intent, limit: CHARGES_MAX }), 'charges'));
    if (!found.has(intent)) throw new UpstreamError(`stripe has no charge of the paid ${intent}`);
  }
  return found;
}

async function disputesOf(
  api: Stripe,
  charges: readonly Stripe.Charge[],
): Promise<readonly Stripe.Dispute[]> {
  const disputes: Stripe.Dispute[] = [];
  for (const { id, disputed } of charges) {
    if (!booleanOf(disputed, 'charge.disputed')) continue;
    disputes.push(
      ...listOf(await api.disputes.list({ charge: id, limit: DISPUTES_MAX }), 'disputes'),
    );
  }
  return disputes;
}
