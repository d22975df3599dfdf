/**
 * Checkouts at Stripe: one session for an order and one customer for an account, even if requested repeatedly. Stripe
 * keeps idempotency keys for a day and rejects a key with other parameters; then the existing object is looked up.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_SECONDS } from '@tapeloom/core/units';
import type Stripe from 'stripe';
import { type CheckoutStart, type StartedCheckout, UpstreamError } from '../payment-provider.ts';
import { idempotencyKey, isIdempotencyMismatch } from './stripe-client.ts';
import { ACCOUNT_FIELD, listOf, ORDER_FIELD, secondsOf } from './stripe-shapes.ts';

/** Stripe accepts half an hour to a day, by its own clock. */
const OPEN_S = 12 * 3_600;
const SESSIONS_MAX = 100;
/** Text that cannot end the quotes in Stripe's query language. */
const QUERY_SAFE = /^[0-9A-Za-z_-]{1,200}$/;

export interface CheckoutOptions {
  readonly isTaxAutomatic: boolean;
  readonly now: EpochNs;
}

export async function startSession(
  api: Stripe,
  start: CheckoutStart,
  options: CheckoutOptions,
): Promise<StartedCheckout> {
  const customer = await customerOf(api, start, options.now);
  const key = { idempotencyKey: idempotencyKey('checkout', start.orderId) };
  try {
    return startedOf(await api.checkout.sessions.create(sessionOf(start, customer, options), key));
  } catch (error) {
    if (!isIdempotencyMismatch(error)) throw error;
    // It was started before, at another time: the existing session counts.
    const started = await sessionOfOrder(api, customer, start.orderId);
    if (started === null) throw error;
    return startedOf(started);
  }
}

function sessionOf(
  start: CheckoutStart,
  customer: string,
  { isTaxAutomatic, now }: CheckoutOptions,
): Stripe.Checkout.SessionCreateParams {
  const { orderId, accountId, kind, currency, amountMinor, taxIncluded, offerName } = start;
  const metadata = { [ORDER_FIELD]: orderId, [ACCOUNT_FIELD]: accountId };
  const price = {
    currency: currency.toLowerCase(),
    unit_amount: amountMinor,
    tax_behavior: taxIncluded ? 'inclusive' : 'exclusive',
    product_data: { name: offerName },
  } as const;
  const common = {
    client_reference_id: orderId,
    metadata,
    customer,
    // Stripe requests names and addresses where tax needs them, and keeps them for invoices. A business always enters
    // its name and tax id, since an invoice must have them.
    customer_update: { address: 'auto', name: 'auto' },
    billing_address_collection: isTaxAutomatic ? 'required' : 'auto',
    automatic_tax: { enabled: isTaxAutomatic },
    tax_id_collection: { enabled: true },
    // Only the agreed price applies.
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: false,
    submit_type: 'pay',
    success_url: start.returnUrl,
    cancel_url: start.backUrl,
    expires_at: secondsOf(now) + OPEN_S,
  } as const;
  if (kind === 'subscription') {
    const monthly = { ...price, recurring: { interval: 'month' } } as const;
    return {
      ...common,
      mode: 'subscription',
      line_items: [{ quantity: 1, price_data: monthly }],
      subscription_data: { metadata },
    };
  }
  return {
    ...common,
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: price }],
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
  };
}

/**
 * Found by search, which lags by minutes; until then the idempotency key returns the same customer. The key changes
 * every hour: Stripe repeats a failure for a key for a day, and no buyer should wait that long.
 */
async function customerOf(
  api: Stripe,
  { accountId, email }: CheckoutStart,
  now: EpochNs,
): Promise<string> {
  if (!QUERY_SAFE.test(accountId)) throw new UpstreamError(`stripe cannot look for ${accountId}`);
  const query = `metadata['${ACCOUNT_FIELD}']:'${accountId}'`;
  const found = listOf(await api.customers.search({ query, limit: 1 }), 'customers').at(0);
  if (found !== undefined) {
    if (email !== null && found.email !== email) await api.customers.update(found.id, { email });
    return found.id;
  }
  const hour = String(Math.floor(secondsOf(now) / HOUR_SECONDS));
  const metadata = { [ACCOUNT_FIELD]: accountId };
  const made = await api.customers.create(email === null ? { metadata } : { metadata, email }, {
    idempotencyKey: idempotencyKey('customer', accountId, email ?? '', hour),
  });
  return made.id;
}

async function sessionOfOrder(
  api: Stripe,
  customer: string,
  orderId: string,
): Promise<Stripe.Checkout.Session | null> {
  const sessions = listOf(
    await api.checkout.sessions.list({ customer, limit: SESSIONS_MAX }),
    'sessions',
  );
  return sessions.find((one) => one.client_reference_id === orderId) ?? null;
}

function startedOf({ id, url }: Stripe.Checkout.Session): StartedCheckout {
  // Stripe removes the address of a finished checkout.
  if (typeof url !== 'string') throw new UpstreamError(`stripe has no page for ${id} any more`);
  return { ref: id, url };
}
