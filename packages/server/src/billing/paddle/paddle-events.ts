/**
 * Paddle's events, from its list, which has the ids of the webhooks. The list can only be read from the newest on, not
 * from an instant; older events are found when their order is checked.
 */

import type { EventEntity, IEventName } from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { EventList, ProviderEvent } from '../payment-provider.ts';
import type { PaddleApi } from './paddle-api.ts';
import { fieldFault, instantOf } from './paddle-fields.ts';
import { eventObject } from './paddle-webhook.ts';

/** The events that an operator must subscribe to: each may change what an order grants. */
export const PADDLE_EVENTS = [
  'transaction.completed',
  'transaction.canceled',
  'transaction.past_due',
  'subscription.updated',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.canceled',
  'adjustment.created',
  'adjustment.updated',
] as const satisfies readonly IEventName[];

const PAGE = 200;
const READ_MAX = 10 * PAGE;
/** Paddle's list may lag by this much, with events out of order. */
const OVERLAP_NS = MINUTE_NS_BIG;

export async function paddleEvents(
  api: PaddleApi,
  from: EpochNs,
  limit: number,
  signal: AbortSignal,
): Promise<EventList> {
  const found = await api.listWhile(
    { what: 'list events', signal, max: READ_MAX },
    (paddle) =>
      paddle.events.list({ eventType: [...PADDLE_EVENTS], orderBy: 'id[DESC]', perPage: PAGE }),
    ({ occurredAt }) => instantOf('event.occurred_at', occurredAt) >= from,
  );
  const events = found
    .map(eventOf)
    .toSorted((a, b) => compare(a.at, b.at))
    .slice(0, limit);
  return { events, nextFrom: nextOf(from, events, limit) };
}

function eventOf(event: EventEntity): ProviderEvent {
  const { eventId: id, occurredAt, data } = event;
  const objectRef = eventObject({ ...data });
  if (typeof id !== 'string' || objectRef === null) throw fieldFault('event.data.id', null);
  return { id, objectRef, at: instantOf('event.occurred_at', occurredAt) };
}

/** A full list continues at its last event; otherwise the next call overlaps a little, for late events. */
function nextOf(from: EpochNs, events: readonly ProviderEvent[], limit: number): EpochNs {
  const last = events.at(-1)?.at;
  if (last === undefined) return from;
  if (events.length < limit)
    return last - OVERLAP_NS > from ? ((last - OVERLAP_NS) as EpochNs) : from;
  return last > from ? last : ((from + 1n) as EpochNs);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
