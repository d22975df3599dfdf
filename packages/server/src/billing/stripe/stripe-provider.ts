/**
 * The payment port to Stripe, through its SDK. Our `ref` is the Checkout Session: it exists before any payment, is
 * never removed, and leads to everything else. Nothing is stored here; earlier work is found again at Stripe.
 */

import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import type { PaymentProvider } from '../payment-provider.ts';
import { startSession } from './stripe-checkout.ts';
import { StripeClient } from './stripe-client.ts';
import { examineStripe } from './stripe-doctor.ts';
import { closeSession, endNow, setCancelAtPeriodEnd } from './stripe-ending.ts';
import { listEvents } from './stripe-events.ts';
import { findSession, hear, knownSession } from './stripe-hearing.ts';
import { locateSession } from './stripe-locate.ts';
import { listReceipts, refundNewest } from './stripe-money.ts';
import { providerObjectOf } from './stripe-payment.ts';
import { idOf } from './stripe-shapes.ts';
import { readStripeWebhook } from './stripe-webhook.ts';

export interface StripeOptions {
  /** `sk_…` or `rk_…`; its mode, live or test, decides which events are accepted. */
  readonly key: string;
  /** One, or two during a change. */
  readonly webhookSecrets: readonly string[];
  /** Whether Stripe computes tax and requests VAT ids. */
  readonly isTaxAutomatic: boolean;
  /** The origin of the API. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends requests; the platform's `fetch` by default. */
  readonly request?: typeof fetch;
}

export function stripeProvider(options: StripeOptions): PaymentProvider {
  const { webhookSecrets: secrets, isTaxAutomatic, clock, log } = options;
  const client = new StripeClient(options);
  const { isLive } = client;
  return {
    name: 'stripe',
    startCheckout: (start, signal) =>
      client.ask(signal, (api) => startSession(api, start, { isTaxAutomatic, now: clock.now() })),
    readWebhook: (headers, body, now) => readStripeWebhook({ secrets, isLive }, headers, body, now),
    fetch: (ref, signal) =>
      client.ask(signal, async (api) => {
        const session = await findSession(api, ref);
        return session === null ? null : providerObjectOf(await hear(api, session));
      }),
    cancelAtPeriodEnd: (ref, isCancelled, signal) =>
      client.ask(signal, (api) => setCancelAtPeriodEnd(api, ref, isCancelled)),
    closeCheckout: (ref, signal) => client.ask(signal, (api) => closeSession(api, ref, log)),
    cancelNow: (ref, signal) => client.ask(signal, (api) => endNow(api, ref, log)),
    locate: (objectRef, signal) => client.ask(signal, (api) => locateSession(api, objectRef)),
    eventsSince: (from, limit, signal) =>
      client.ask(signal, (api) => listEvents(api, isLive, from, limit)),
    receipts: (ref, signal) => client.ask(signal, (api) => listReceipts(api, ref)),
    customerPortal: (ref, returnUrl, signal) =>
      client.ask(signal, async (api) => {
        const { status, customer } = await knownSession(api, ref);
        const id = idOf(customer);
        if (status !== 'complete' || id === null) return null;
        const asked = { customer: id, return_url: returnUrl };
        return (await api.billingPortal.sessions.create(asked)).url;
      }),
    refund: (ref, wish, signal) => client.ask(signal, (api) => refundNewest(api, ref, wish)),
    findRefund: null,
    examine: (signal) => client.ask(signal, () => examineStripe(client, options)),
  };
}
