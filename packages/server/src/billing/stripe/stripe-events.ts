/**
 * Stripe's relevant events since an instant. Stripe lists the newest first, with times in seconds. So a whole window is
 * read before its oldest event is returned, and a window with too many events is halved. The nanoseconds of the
 * position to continue from count the events of its second that were returned.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type Stripe from 'stripe';
import type { EventList } from '../payment-provider.ts';
import { amountOf, booleanOf, listOf, secondsOf, unknownValue } from './stripe-shapes.ts';
import { providerEventOf } from './stripe-webhook.ts';

const PAGE_MAX = 100;
const PAGES_MAX = 10;
/** The most events of a second that can be counted. */
const TOLD_MAX = 1_000;
/** The count is added to a mark of its second, so that no other instant is mistaken for a position. */
const MARKS = 997;

/** The events of an endpoint at Stripe; at most twenty types can be listed. */
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

interface Window {
  /** All events of the window, oldest first. */
  readonly events: readonly Stripe.Event[];
  /** The second after it; null: it extends to now. */
  readonly end: number | null;
}

export async function listEvents(
  api: Stripe,
  isLive: boolean,
  from: EpochNs,
  limit: number,
): Promise<EventList> {
  const skipped = toldBefore(from);
  const found: Stripe.Event[] = [];
  for (let start: number | null = secondsOf(from); start !== null; ) {
    const { events, end }: Window = await windowFrom(api, start);
    found.push(...events);
    start = found.length < skipped + limit ? end : null;
  }
  const told = found.slice(skipped, skipped + limit);
  const last = told.at(-1);
  const nextFrom = last === undefined ? from : placeAfter(found, last);
  return { events: told.map((event) => eventOf(event, isLive)), nextFrom };
}

async function windowFrom(api: Stripe, start: number): Promise<Window> {
  for (let end: number | null = null; ; ) {
    const created = end === null ? { gte: start } : { gte: start, lt: end };
    const { events, isWhole } = await eventsOf(api, created);
    const seconds: number = (end ?? (events.at(-1)?.created ?? start) + 1) - start;
    if (isWhole) return { events, end };
    // One second has more events than can be read: the newest are used, and orders are checked anyway.
    if (seconds <= 1) return { events, end: start + 1 };
    end = start + Math.ceil(seconds / 2);
  }
}

async function eventsOf(
  api: Stripe,
  created: Stripe.RangeQueryParam,
): Promise<{ readonly events: readonly Stripe.Event[]; readonly isWhole: boolean }> {
  const asked = { types: [...STRIPE_EVENTS], limit: PAGE_MAX, created };
  const newestFirst: Stripe.Event[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const after = newestFirst.at(-1);
    const page = await api.events.list(
      after === undefined ? asked : { ...asked, starting_after: after.id },
    );
    newestFirst.push(...listOf(page, 'events'));
    const isWhole = !booleanOf(page.has_more, 'events.has_more');
    if (isWhole) return { events: newestFirst.reverse(), isWhole };
  }
  return { events: newestFirst.reverse(), isWhole: false };
}

/** The position after the returned events of that second; after the whole second, if they are too many to count. */
function placeAfter(found: readonly Stripe.Event[], last: Stripe.Event): EpochNs {
  const second = amountOf(last.created, 'event.created');
  const upTo = found.slice(0, found.indexOf(last) + 1);
  const told = upTo.filter(({ created }) => created === last.created).length;
  const start = BigInt(second) * SECOND_NS_BIG;
  return (
    told < TOLD_MAX ? start + BigInt(markOf(second) + told) : start + SECOND_NS_BIG
  ) as EpochNs;
}

/** How many events of its second were returned before, if `from` is such a position. */
function toldBefore(from: EpochNs): number {
  const told = Number(from % SECOND_NS_BIG) - markOf(secondsOf(from));
  return told > 0 && told < TOLD_MAX ? told : 0;
}

function markOf(second: number): number {
  return ((second % MARKS) + 1) * TOLD_MAX;
}

function eventOf(event: Stripe.Event, isLive: boolean) {
  const read = providerEventOf(event, isLive);
  if (read === null) throw unknownValue('event', event.id);
  return read;
}
