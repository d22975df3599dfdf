/** Conversion between rows about orders and payments and the records of the port. */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Sql } from '../store/sql-database.ts';
import type { OrderRow, PaymentEventRow, PaymentListingRow } from './order-tables.ts';
import type {
  BillTo,
  OrderRecord,
  OrderTerms,
  PaymentEventRecord,
  PaymentListing,
} from './orders-store.ts';

/** The revision of an order without any report of the provider. */
const NOTHING_HEARD = -1;

export function orderOf(row: OrderRow): OrderRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    offer: row.offer,
    grants: JSON.parse(row.grants) as Grant['plan'][],
    kind: row.kind,
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    taxIncluded: row.tax_included === 1n,
    country: row.country,
    provider: row.provider,
    ref: row.ref,
    url: row.url,
    waiverVersion: row.waiver_version,
    createdAt: row.created_at as EpochNs,
    state: row.state,
    paidAt: row.paid_at as EpochNs | null,
    paidUntil: row.paid_until as EpochNs | null,
    cancelAtPeriodEnd: row.cancel_at_period_end === 1n,
    revision: Number(row.revision),
    lookedAt: row.looked_at as EpochNs | null,
    lookAt: row.look_at as EpochNs | null,
    asks: Number(row.asks),
    heardAsk: Number(row.heard_ask),
    confirmedAt: row.confirmed_at as EpochNs | null,
    failureTold: row.failure_told as EpochNs | null,
    writtenOffAt: row.written_off_at as EpochNs | null,
    withdrawal: {
      days: Number(row.withdrawal_days),
      lostAt: row.withdrawal_lost_at,
      refund: row.withdrawal_refund,
    },
    withdrawnAt: row.withdrawn_at as EpochNs | null,
    billTo: row.bill_to === null ? null : (JSON.parse(row.bill_to) as BillTo),
  };
}

export async function orderById(sql: Sql, id: string): Promise<OrderRecord | null> {
  const row = await sql.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : orderOf(row);
}

/** A new order: unpaid, and due for a check at once. */
export function newOrderRow(terms: OrderTerms, accountId: string, now: EpochNs) {
  return {
    id: terms.id,
    account_id: accountId,
    offer: terms.offer,
    grants: JSON.stringify(terms.grants),
    kind: terms.kind,
    amount_minor: terms.amountMinor,
    currency: terms.currency,
    tax_included: terms.taxIncluded ? 1 : 0,
    country: terms.country,
    provider: terms.provider,
    ref: terms.ref,
    url: terms.url,
    waiver_version: terms.waiverVersion,
    created_at: now,
    state: 'open',
    paid_at: null,
    paid_until: null,
    cancel_at_period_end: 0,
    revision: NOTHING_HEARD,
    looked_at: null,
    look_at: now,
    asks: 0,
    heard_ask: 0,
    confirmed_at: null,
    failure_told: null,
    written_off_at: null,
    withdrawal_days: terms.withdrawal.days,
    withdrawal_lost_at: terms.withdrawal.lostAt,
    withdrawal_refund: terms.withdrawal.refund,
    withdrawn_at: null,
    bill_to: terms.billTo == null ? null : JSON.stringify(terms.billTo),
  } as const;
}

export function paymentColumns(payment: Payment) {
  return {
    state: payment.state,
    paid_at: payment.paidAt,
    paid_until: payment.paidUntil,
    cancel_at_period_end: payment.cancelAtPeriodEnd ? 1 : 0,
  };
}

export function paymentEventOf(row: PaymentEventRow): PaymentEventRecord {
  return {
    provider: row.provider,
    id: row.id,
    objectRef: row.object_ref,
    at: row.at as EpochNs,
    receivedAt: row.received_at as EpochNs,
    state: row.state,
    attempts: Number(row.attempts),
    tryAt: row.try_at as EpochNs | null,
    fault: row.fault,
  };
}

export function listingOf(row: PaymentListingRow): PaymentListing {
  return {
    provider: row.provider,
    listedUntil: row.listed_until as EpochNs,
    listedAt: row.listed_at as EpochNs | null,
    listAt: row.list_at as EpochNs,
  };
}
