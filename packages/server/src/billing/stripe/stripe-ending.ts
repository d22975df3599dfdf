/**
 * Ending at Stripe: unpaid checkouts, and subscriptions, now or with their period. Every call can be repeated, so each
 * has a new idempotency key: with the order's key, Stripe would repeat its first answer for a day, even an error.
 */

import type Stripe from 'stripe';
import type { Log } from '../../platform/log/log.ts';
import { UpstreamError } from '../payment-provider.ts';
import { isRefusal, orNull } from './stripe-client.ts';
import { hear, intentOfInvoice, knownSession } from './stripe-hearing.ts';
import { newestPeriod } from './stripe-payment.ts';
import { expanded, idOf, listOf } from './stripe-shapes.ts';

const OPEN_INVOICES_MAX = 10;
/** States in which a subscription can be cancelled or renewed. */
const RUNNING: readonly string[] = ['active', 'past_due', 'unpaid'];
const OVER: readonly string[] = ['canceled', 'incomplete_expired'];

export async function setCancelAtPeriodEnd(
  api: Stripe,
  ref: string,
  isCancelled: boolean,
): Promise<void> {
  const session = await knownSession(api, ref);
  const subscription = expanded(session.subscription, 'session.subscription');
  if (subscription === null) throw new UpstreamError(`stripe has no subscription for ${ref}`);
  const { id, status, cancel_at_period_end: isEnding, cancel_at: endsAt } = subscription;
  if (!RUNNING.includes(status)) throw new UpstreamError(`the subscription ${id} is ${status}`);
  if (isEnding === isCancelled && (isCancelled || endsAt === null)) return;
  // An end date set by an operator is another field, and Stripe accepts only one of the two at a time.
  const isDated = !isCancelled && !isEnding;
  await api.subscriptions.update(
    id,
    isDated ? { cancel_at: '' } : { cancel_at_period_end: isCancelled },
  );
}

/** A payment that is made or in progress at the bank stays. */
export async function closeSession(api: Stripe, ref: string, log: Log): Promise<void> {
  const session = await expired(api, await knownSession(api, ref));
  const subscription = expanded(session.subscription, 'session.subscription');
  if (session.status !== 'complete' || subscription === null) return;
  if (OVER.includes(subscription.status)) return;
  const { invoices } = await hear(api, session);
  if (newestPeriod(invoices) !== null || (await isAtTheBank(api, session))) return;
  await endSubscription(api, subscription, log);
}

export async function endNow(api: Stripe, ref: string, log: Log): Promise<void> {
  const session = await expired(api, await knownSession(api, ref));
  const subscription = expanded(session.subscription, 'session.subscription');
  if (session.status !== 'complete' || subscription === null) return;
  if (!OVER.includes(subscription.status)) await endSubscription(api, subscription, log);
}

/** The session afterwards: complete, if the buyer was faster. */
async function expired(
  api: Stripe,
  session: Stripe.Checkout.Session,
): Promise<Stripe.Checkout.Session> {
  if (session.status !== 'open') return session;
  try {
    await api.checkout.sessions.expire(session.id);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const after = await knownSession(api, session.id);
    if (after.status === 'open') throw error;
    return after;
  }
  return { ...session, status: 'expired' };
}

async function isAtTheBank(api: Stripe, session: Stripe.Checkout.Session): Promise<boolean> {
  const first = idOf(session.invoice);
  if (first === null) return false;
  const invoice = await api.invoices.retrieve(first, { expand: ['payments'] });
  const intent = intentOfInvoice(invoice);
  if (intent === null) return false;
  return (await api.paymentIntents.retrieve(intent)).status === 'processing';
}

/** Nothing is refunded for the rest of the period: Stripe cannot decide whether that is due. */
async function endSubscription(api: Stripe, { id }: Stripe.Subscription, log: Log): Promise<void> {
  try {
    await api.subscriptions.cancel(id, { invoice_now: false, prorate: false });
  } catch (error) {
    // A repeated call fails if the first one succeeded: then nothing is left to end.
    const after = await orNull(api.subscriptions.retrieve(id));
    if (after === null || !OVER.includes(after.status)) throw error;
  }
  const asked = { subscription: id, status: 'open', limit: OPEN_INVOICES_MAX };
  for (const invoice of listOf(await api.invoices.list(asked), 'invoices')) {
    await voidInvoice(api, invoice.id, log);
  }
}

/** Stripe no longer collects it, but its page could still be paid. */
async function voidInvoice(api: Stripe, id: string, log: Log): Promise<void> {
  try {
    await api.invoices.voidInvoice(id);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn({ error, invoice: id }, 'an open invoice of an ended subscription stays open');
  }
}
