/** Events of payment providers: each is stored once, until it is settled and long enough after. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { latestDue } from '../store/sound-times.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import {
  EVENTS_KEPT_NS,
  type PaymentEvent,
  type PaymentEventRecord,
  type PaymentListing,
  TRY_WITHIN_NS,
} from './orders-store.ts';
import { listingOf, paymentEventOf } from './sql-order-rows.ts';

/** The most events shown for one object or one id. */
const EVENTS_SHOWN_MAX = 200;
const EVENTS_SETTLED_MAX = 500;

export async function receiveEvent(sql: Sql, now: EpochNs, event: PaymentEvent): Promise<boolean> {
  const row = await sql
    .insertInto('payment_events')
    .values({
      provider: event.provider,
      id: event.id,
      object_ref: event.objectRef,
      at: event.at,
      received_at: now,
      state: 'pending',
      attempts: 0,
      try_at: now,
      fault: null,
    })
    .onConflict((conflict) => conflict.columns(['provider', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The ids of pending events about an object; those beyond the limit wait for the next query. */
export async function pendingEvents(
  sql: Sql,
  { provider, ref }: { readonly provider: string; readonly ref: string },
): Promise<readonly string[]> {
  const rows = await sql
    .selectFrom('payment_events')
    .select('id')
    .where('provider', '=', provider)
    .where('object_ref', '=', ref)
    // Selects pending events in a form that the index supports.
    .where('try_at', '>=', 0n)
    .limit(EVENTS_SETTLED_MAX)
    .execute();
  return rows.map(({ id }) => id);
}

/** Settles events that came before the provider was queried. */
export async function settleEvents(
  sql: Sql,
  provider: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql
    .updateTable('payment_events')
    .set({ state: 'done', try_at: null, fault: null })
    .where('provider', '=', provider)
    .where('id', 'in', ids)
    .where('try_at', '>=', 0n)
    .execute();
}

export async function putOffEvent(
  sql: Sql,
  { provider, id }: Pick<PaymentEvent, 'provider' | 'id'>,
  { tryAt, fault }: { readonly tryAt: EpochNs | null; readonly fault: string | null },
): Promise<void> {
  await sql
    .updateTable('payment_events')
    .set((eb) => ({
      state: tryAt === null ? ('unknown' as const) : ('pending' as const),
      attempts: eb('attempts', '+', 1n),
      try_at: tryAt,
      fault,
    }))
    .where('provider', '=', provider)
    .where('id', '=', id)
    .execute();
}

export async function nameEvent(
  sql: Sql,
  { provider, id }: Pick<PaymentEvent, 'provider' | 'id'>,
  ref: string,
): Promise<void> {
  const event = sql.updateTable('payment_events').set({ object_ref: ref });
  await event.where('provider', '=', provider).where('id', '=', id).execute();
}

export async function findListing(sql: Sql, provider: string): Promise<PaymentListing | null> {
  const found = sql.selectFrom('payment_listings').selectAll().where('provider', '=', provider);
  const row = await found.executeTakeFirst();
  return row === undefined ? null : listingOf(row);
}

export async function dueListings(sql: Sql, now: EpochNs): Promise<readonly PaymentListing[]> {
  const due = sql
    .selectFrom('payment_listings')
    .selectAll()
    .where((eb) =>
      eb.or([eb('list_at', '<=', now), eb('list_at', '>', latestDue(now, TRY_WITHIN_NS))]),
    );
  return (await due.orderBy('provider').execute()).map(listingOf);
}

export async function noteListing(sql: Sql, listing: PaymentListing): Promise<void> {
  const { provider, listedUntil, listedAt, listAt } = listing;
  const columns = { listed_until: listedUntil, listed_at: listedAt, list_at: listAt };
  await sql
    .insertInto('payment_listings')
    .values({ provider, ...columns })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(columns))
    .execute();
}

export async function dueEvents(
  sql: Sql,
  now: EpochNs,
  limit: number,
): Promise<readonly PaymentEventRecord[]> {
  const rows = await sql
    .selectFrom('payment_events')
    .selectAll()
    .where((eb) =>
      eb.or([eb('try_at', '<=', now), eb('try_at', '>', latestDue(now, TRY_WITHIN_NS))]),
    )
    .orderBy('try_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(paymentEventOf);
}

export async function eventsOf(
  sql: Sql,
  { provider, ref }: { readonly provider: string; readonly ref: string },
): Promise<readonly PaymentEventRecord[]> {
  const rows = await sql
    .selectFrom('payment_events')
    .selectAll()
    .where('provider', '=', provider)
    .where('object_ref', '=', ref)
    .orderBy('received_at', 'desc')
    .orderBy('id')
    .limit(EVENTS_SHOWN_MAX)
    .execute();
  return rows.map(paymentEventOf);
}

/** Two providers may use the same id. */
export async function findEvents(sql: Sql, id: string): Promise<readonly PaymentEventRecord[]> {
  const found = sql.selectFrom('payment_events').selectAll().where('id', '=', id);
  return (await found.limit(EVENTS_SHOWN_MAX).execute()).map(paymentEventOf);
}

export async function countPendingEvents(sql: Sql): Promise<number> {
  const row = await sql
    .selectFrom('payment_events')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('try_at', 'is not', null)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function forgetEvents(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('payment_events')
    .select(['provider', 'id'])
    .where('received_at', '<', now - EVENTS_KEPT_NS)
    .where('try_at', 'is', null)
    .limit(limit);
  const rows = await old.execute();
  let count = 0;
  for (const { provider, id } of rows) {
    const one = sql.deleteFrom('payment_events').where('provider', '=', provider);
    count += removed(await one.where('id', '=', id).execute());
  }
  return count;
}
