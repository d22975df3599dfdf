/**
 * Which events of Stripe matter here, and what of them was told since an instant. Stripe lists the newest first and counts
 * time in seconds, so a window that holds more than was asked for is halved until it does not.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type Stripe from 'stripe';
import type { EventList, ProviderEvent } from '../payment-provider.ts';
import { instantOf, listOf, secondsOf } from './stripe-shapes.ts';
import { providerEventOf } from './stripe-webhook.ts';

const PAGE_MAX = 100;

/** Those of an endpoint at Stripe. No more than twenty can be listed by type. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies readonly Stripe.Event.Type[];

export async function listEvents(
  api: Stripe,
  isLive: boolean,
  from: EpochNs,
  limit: number,
): Promise<EventList> {
  const asked = { types: [...STRIPE_EVENTS], limit: Math.min(limit, PAGE_MAX) };
  const start = secondsOf(from);
  /** The second after the window; null: it is open. */
  let end: number | null = null;
  for (;;) {
    const created = end === null ? { gte: start } : { gte: start, lt: end };
    const page = await api.events.list({ ...asked, created });
    const found: readonly Stripe.Event[] = listOf(page, 'events');
    const seconds: number = (end ?? (found.at(0)?.created ?? start) + 1) - start;
    // More in one second than fits can only be told as far as it does; orders are looked at anyway.
    if (!page.has_more || seconds <= 1) {
      const events = oldestFirst(found, isLive);
      const isWhole = end === null && !page.has_more;
      const next = isWhole ? events.at(-1)?.at : instantOf(end ?? start + 1, 'events.created');
      return { events, nextFrom: next ?? from };
    }
    end = start + Math.ceil(seconds / 2);
  }
}

function oldestFirst(events: readonly Stripe.Event[], isLive: boolean): readonly ProviderEvent[] {
  return events
    .map((event) => providerEventOf(event, isLive))
    .filter((event) => event !== null)
    .sort((a, b) => Number(a.at - b.at));
}
