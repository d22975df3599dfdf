/** Mails that an order owes its buyer, recorded by the transaction that changes the order; see `mails-store.ts`. */

import { paymentNews } from '@tapeloom/core/entitlement/payment-news';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { NewMail } from '../mails/mails-store.ts';
import { owe } from '../mails/sql-owe.ts';
import { findOwner } from '../people/sql-people-owners.ts';
import type { Sql } from '../store/sql-database.ts';
import type { OrderRecord } from './orders-store.ts';

type Owed = Pick<NewMail, 'kind' | 'details'> & {
  /** Distinguishes mails of this kind about one order; null: there is only one. */
  readonly which: string | null;
};

/** Owes the mails for an order's new state. A withdrawal has its own receipt, and no mail follows it. */
export async function oweOrderMails(
  sql: Sql,
  now: EpochNs,
  before: OrderRecord,
  order: OrderRecord,
): Promise<void> {
  const owed = order.withdrawnAt === null ? [...untold(order), ...ofChange(before, order)] : [];
  if (owed.length === 0) return;
  const owner = await findOwner(sql, 'account_id', order.accountId);
  if (owner === null) return;
  const { id: orderId } = order;
  for (const { kind, which, details } of owed) {
    const id = [kind, orderId, ...(which === null ? [] : [which])].join('.');
    await owe(sql, now, { id, kind, reader: owner.email, orderId, details });
    if (kind === 'payment-failed') await noteFailureTold(sql, order);
  }
}

/** Mails that the order itself records as sent. */
function untold({ state, paidAt, paidUntil, confirmedAt, failureTold }: OrderRecord): Owed[] {
  const isFailure = state === 'past_due' && paidUntil !== null && paidUntil !== failureTold;
  const owed: Owed[] = [];
  if (paidAt !== null && confirmedAt === null) {
    owed.push({ kind: 'order-confirmed', which: null, details: {} });
  }
  if (isFailure) {
    const until = paidUntil.toString();
    owed.push({ kind: 'payment-failed', which: until, details: { paidUntil: until } });
  }
  return owed;
}

function ofChange(before: OrderRecord, order: OrderRecord): Owed[] {
  const revision = order.revision.toString();
  return paymentNews(before, order).map((news): Owed => {
    switch (news.t) {
      case 'cancelled': {
        const details = { endsAt: news.endsAt.toString() };
        return { kind: 'order-cancelled', which: revision, details };
      }
      case 'renewed': {
        const paidUntil = news.paidUntil.toString();
        return { kind: 'order-renewed', which: paidUntil, details: { paidUntil } };
      }
      case 'ended':
        return { kind: 'order-ended', which: revision, details: { cause: news.cause } };
      default:
        return news satisfies never;
    }
  });
}

async function noteFailureTold(sql: Sql, { id, paidUntil }: OrderRecord): Promise<void> {
  await sql.updateTable('orders').set({ failure_told: paidUntil }).where('id', '=', id).execute();
}
