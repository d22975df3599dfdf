/** The statements about orders; see `orders-store.ts`. */

import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { holdAccount, OPERATOR, replaceGrants } from '../keys/sql-accounts.ts';
import { deletionOf } from '../people/sql-people-deletions.ts';
import { countedUntil, latest, latestDue } from '../store/sound-times.ts';
import { tell, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import type { OrderChange } from './order-tables.ts';
import {
  type Ask,
  bindsAccount,
  type CheckoutQuestion,
  type CheckoutRefused,
  type Consent,
  type Heard,
  type HeardPayment,
  LOOK_WITHIN_NS,
  type OperatorAsked,
  ORDERS_PLACED_MAX,
  ORDERS_PLACED_NS,
  type OrderRecord,
  type OrderTerms,
  type PaymentCounts,
  SAME_CHECKOUT_NS,
} from './orders-store.ts';
import { recordConsent } from './sql-consents.ts';
import { oweOrderMails } from './sql-order-mails.ts';
import { newOrderRow, orderById, orderOf, paymentColumns } from './sql-order-rows.ts';
import * as events from './sql-payment-events.ts';
import { takeUpAgain } from './sql-withdrawals.ts';

export async function listOrders(sql: Sql, limit: number): Promise<readonly OrderRecord[]> {
  const query = sql.selectFrom('orders').selectAll().orderBy('created_at', 'desc').orderBy('id');
  return (await query.limit(limit).execute()).map(orderOf);
}

export async function ordersOfLeaving(sql: Sql, limit: number): Promise<readonly OrderRecord[]> {
  const rows = await sql
    .selectFrom('account_deletions')
    .innerJoin('orders', 'orders.account_id', 'account_deletions.account_id')
    .selectAll('orders')
    .where('account_deletions.done_at', 'is', null)
    .where('orders.kind', '=', 'subscription')
    .where('orders.state', 'in', ['paid', 'past_due'])
    .where('orders.cancel_at_period_end', '=', 0n)
    .where('orders.withdrawn_at', 'is', null)
    .limit(limit)
    .execute();
  return rows.map(orderOf);
}

export async function placeOrder(
  writing: Writing,
  call: StoreCall & { readonly sessionId: string | null },
  accountId: string,
  terms: OrderTerms,
  consent: Consent,
): Promise<OrderRecord | CheckoutRefused> {
  const { sql } = writing;
  if ((await holdAccount(sql, accountId)) === undefined) return { refused: 'no-account' };
  const refused = await judgeCheckout(sql, call.now, accountId, terms);
  if (refused !== null) return refused;
  const row = await sql
    .insertInto('orders')
    .values(newOrderRow(terms, accountId, call.now))
    .returningAll()
    .executeTakeFirstOrThrow();
  const order = orderOf(row);
  const textSha256 = await recordConsent(sql, order, consent);
  const { id, offer, provider, country, waiverVersion } = order;
  const details = { order: id, offer, provider, country, waiverVersion, textSha256 };
  const keyId = call.sessionId;
  await tell(writing, call, { kind: 'order.placed', accountId, keyId, details });
  return order;
}

export async function dueOrders(
  sql: Sql,
  now: EpochNs,
  limit: number,
): Promise<readonly OrderRecord[]> {
  const due = sql
    .selectFrom('orders')
    .selectAll()
    .where((eb) =>
      eb.or([eb('look_at', '<=', now), eb('look_at', '>', latestDue(now, LOOK_WITHIN_NS))]),
    );
  return (await due.orderBy('look_at').orderBy('id').limit(limit).execute()).map(orderOf);
}

export async function hurry(sql: Sql, now: EpochNs) {
  const events = sql.updateTable('payment_events').set({ try_at: now });
  const orders = sql.updateTable('orders').set({ look_at: now });
  await sql.updateTable('payment_listings').set({ list_at: now }).execute();
  const withdrawals = sql.updateTable('withdrawals').set({ try_at: now });
  await withdrawals.where('try_at', 'is not', null).execute();
  return {
    events: (await events.where('try_at', 'is not', null).returning('id').execute()).length,
    orders: (await orders.where('look_at', 'is not', null).returning('id').execute()).length,
  };
}

export async function paymentCounts(sql: Sql): Promise<PaymentCounts> {
  const rows = await sql
    .selectFrom('orders')
    .select(['state', (eb) => eb.fn.countAll().as('count')])
    .groupBy('state')
    .execute();
  return {
    eventsPending: await events.countPendingEvents(sql),
    ordersByState: Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])),
  };
}

export async function ordersOf(sql: Sql, accountId: string): Promise<readonly OrderRecord[]> {
  const rows = await sql
    .selectFrom('orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(orderOf);
}

export async function orderByRef(
  sql: Sql,
  { provider, ref }: Pick<OrderTerms, 'provider' | 'ref'>,
): Promise<OrderRecord | null> {
  const named = sql.selectFrom('orders').selectAll().where('provider', '=', provider);
  const row = await named.where('ref', '=', ref).executeTakeFirst();
  return row === undefined ? null : orderOf(row);
}

/** `placeOrder` repeats this while it holds the account's row. */
export async function judgeCheckout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  { offer, grants, provider, country, billTo = null }: CheckoutQuestion,
): Promise<CheckoutRefused | null> {
  // An order that a clock ahead has placed does not block the next one.
  const all = await ordersOf(sql, accountId);
  const orders = all.filter(({ createdAt }) => createdAt <= latest(now));
  const other = all.find((order) => order.provider !== provider && bindsAccount(order, now));
  if (other !== undefined) return { refused: 'other-provider', provider: other.provider };
  const holders = await holdersOf(sql, now, accountId, grants);
  if (holders !== null) {
    const order = all.find(({ id }) => holders.includes(id)) ?? null;
    return { refused: 'held', order };
  }
  const since = now - SAME_CHECKOUT_NS;
  const open = orders.find(
    (order) =>
      order.offer === offer &&
      order.country === country &&
      // A corrected billing address gets a new checkout.
      JSON.stringify(order.billTo) === JSON.stringify(billTo) &&
      order.state === 'open' &&
      order.withdrawnAt === null &&
      order.createdAt > since,
  );
  if (open !== undefined) return { refused: 'open-already', order: open };
  const oldest = orders[ORDERS_PLACED_MAX - 1];
  const until = oldest === undefined ? now : countedUntil(oldest.createdAt, ORDERS_PLACED_NS, now);
  return now < until ? { refused: 'too-many', until } : null;
}

/**
 * The sources that grant all of these plans already; null when one of the plans is not held. An operator's temporary
 * grant, such as a trial, does not prevent a purchase.
 */
async function holdersOf(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  plans: readonly Grant['plan'][],
): Promise<readonly string[] | null> {
  const rows = await sql
    .selectFrom('grants')
    .select(['plan', 'until', 'source'])
    .where('account_id', '=', accountId)
    .execute();
  const held = rows.filter(
    ({ until, source }) => until === null || (now < until && source !== OPERATOR),
  );
  const isHeld = plans.every((plan) => held.some((grant) => grant.plan === plan));
  if (!isHeld) return null;
  return held.filter(({ plan }) => plans.includes(plan)).map(({ source }) => source);
}

export async function beginAsk(
  sql: Sql,
  { id, provider, ref }: Pick<OrderRecord, 'id' | 'provider' | 'ref'>,
): Promise<Ask> {
  const { asks } = await sql
    .updateTable('orders')
    .set((eb) => ({ asks: eb('asks', '+', 1n) }))
    .where('id', '=', id)
    .returning('asks')
    .executeTakeFirstOrThrow();
  return { number: Number(asks), events: await events.pendingEvents(sql, { provider, ref }) };
}

export async function hearPayment(
  writing: Writing,
  call: StoreCall,
  heard: HeardPayment,
): Promise<Heard | null> {
  const { sql } = writing;
  const { provider, ref, payment } = heard;
  const named = await orderByRef(sql, { provider, ref });
  if (named === null) return null;
  // A transaction that held the row before may have stored a newer answer.
  await holdAccount(sql, named.accountId);
  const before = (await orderByRef(sql, { provider, ref }))!;
  const { ask } = heard;
  if (!isOfAnother(before, ask)) await events.settleEvents(sql, provider, ask.events);
  const looked = {
    ...(isLate(before, ask) ? {} : { looked_at: call.now, heard_ask: ask.number }),
    look_at: before.writtenOffAt === null ? heard.lookAt : null,
  };
  const deletion = await deletionOf(sql, before.accountId);
  const isAccountGone = deletion !== null && deletion.doneAt !== null;
  const revision = newRevision(before, heard);
  const isNew = revision !== null;
  const heardColumns = isNew ? { ...paymentColumns(payment), revision } : {};
  const order = await changeOrder(sql, before.id, { ...looked, ...heardColumns });
  if (!isAccountGone) await oweOrderMails(sql, call.now, before, order);
  if (!isNew) return { before, order, isNew, isAccountGone };
  await tellChange(writing, call, before, order);
  const isWithdrawn = order.withdrawnAt !== null;
  if (isWithdrawn && order.paidAt !== null) await takeUpAgain(sql, order.id, call.now);
  await grantAnew(writing, call, order, isAccountGone || isWithdrawn ? [] : heard.grants);
  return { before, order, isNew, isAccountGone };
}

/** The new revision if the answer is news; null: this or a later state is known, or the order was written off. */
function newRevision(known: OrderRecord, heard: HeardPayment): number | null {
  const { revision, payment, ask } = heard;
  if (known.writtenOffAt !== null) return null;
  if (revision !== null) return revision > known.revision ? revision : null;
  if (isLate(known, ask)) return null;
  const { kind, state, paidAt, paidUntil, cancelAtPeriodEnd } = payment;
  const isSame =
    known.kind === kind &&
    known.state === state &&
    known.paidAt === paidAt &&
    known.paidUntil === paidUntil &&
    known.cancelAtPeriodEnd === cancelAtPeriodEnd;
  return isSame && known.revision >= 0 ? null : known.revision + 1;
}

/** An answer to a later query was accepted. */
function isLate(order: OrderRecord, ask: Ask): boolean {
  return ask.number < order.heardAsk || isOfAnother(order, ask);
}

/** The database was restored from a backup meanwhile: this number has not been issued there yet. */
function isOfAnother({ asks }: OrderRecord, { number }: Ask): boolean {
  return number > asks;
}

export async function writeOff(
  writing: Writing,
  call: StoreCall,
  orderId: string,
  reason: string,
): Promise<OrderRecord | { readonly refused: 'not-found' | 'over' }> {
  const { sql } = writing;
  const named = await orderById(sql, orderId);
  if (named === null) return { refused: 'not-found' };
  await holdAccount(sql, named.accountId);
  const before = (await orderById(sql, orderId))!;
  if (before.state === 'ended' || before.state === 'failed') return { refused: 'over' };
  const order = await changeOrder(sql, orderId, {
    state: before.paidAt === null ? 'failed' : 'ended',
    written_off_at: call.now,
    // If the provider knows the payment after all, it is cancelled there.
    look_at: call.now,
  });
  await oweOrderMails(sql, call.now, before, order);
  const { accountId, provider, ref } = order;
  const details = {
    order: orderId,
    before: before.state,
    after: order.state,
    provider,
    ref,
    reason,
  };
  await tell(writing, call, { kind: 'order.written-off', accountId, keyId: null, details });
  await grantAnew(writing, call, order, []);
  return order;
}

export async function noteAsked(
  writing: Writing,
  call: StoreCall,
  { id, accountId, provider, ref }: OrderRecord,
  asked: OperatorAsked,
): Promise<string> {
  const details = { order: id, provider, ref, ...asked.details };
  await tell(writing, call, { kind: asked.kind, accountId, keyId: null, details });
  // Stored like an event of the provider: an answer to an earlier query does not settle it.
  const event = { provider, id: `operator:${id}:${call.now}`, objectRef: ref, at: call.now };
  await events.receiveEvent(writing.sql, call.now, event);
  return event.id;
}

export async function changeOrder(
  sql: Sql,
  id: string,
  columns: OrderChange,
): Promise<OrderRecord> {
  const row = await sql
    .updateTable('orders')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return orderOf(row);
}

async function tellChange(
  writing: Writing,
  call: StoreCall,
  before: OrderRecord,
  after: OrderRecord,
): Promise<void> {
  const { id, accountId, state, paidUntil, cancelAtPeriodEnd, revision } = after;
  const details = {
    order: id,
    before: before.state,
    after: state,
    paidUntil: paidUntil === null ? null : String(paidUntil),
    cancelAtPeriodEnd,
    revision,
  };
  await tell(writing, call, { kind: 'order.changed', accountId, keyId: null, details });
}

/** Unchanged grants are not audited again. */
async function grantAnew(
  writing: Writing,
  call: StoreCall,
  { id, accountId }: OrderRecord,
  grants: readonly Grant[],
): Promise<void> {
  const before = await writing.sql
    .selectFrom('grants')
    .select(['plan', 'until'])
    .where('account_id', '=', accountId)
    .where('source', '=', id)
    .orderBy('position')
    .execute();
  const isSame =
    before.length === grants.length &&
    grants.every(({ plan, until }, at) => before[at]?.plan === plan && before[at].until === until);
  if (!isSame) await replaceGrants(writing, call, accountId, { source: id, grants });
}
