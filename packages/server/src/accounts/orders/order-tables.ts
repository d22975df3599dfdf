/** The tables of orders, consents, withdrawals and payment events; see `account-schema.ts`. */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { Selectable, Updateable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';
import type { PaymentEventState } from './orders-store.ts';
import type { WithdrawalState } from './withdrawals-store.ts';

interface OrderTable {
  id: string;
  account_id: string;
  offer: string;
  /** A JSON list of plans. */
  grants: string;
  kind: Payment['kind'];
  amount_minor: Whole;
  currency: string;
  /** 1: the price included tax at the time of the order. */
  tax_included: Whole;
  country: string;
  provider: string;
  ref: string;
  url: string;
  waiver_version: string;
  created_at: Whole;
  state: Payment['state'];
  paid_at: WholeOrNull;
  paid_until: WholeOrNull;
  /** 1: the subscription does not renew. */
  cancel_at_period_end: Whole;
  revision: Whole;
  looked_at: WholeOrNull;
  look_at: WholeOrNull;
  /** How often the provider was queried, and the number of the newest query with an accepted answer. */
  asks: Whole;
  heard_ask: Whole;
  confirmed_at: WholeOrNull;
  failure_told: WholeOrNull;
  /** The right of withdrawal at the time of the order. */
  withdrawal_days: Whole;
  withdrawal_lost_at: 'access' | 'never';
  withdrawal_refund: 'rest' | 'all';
  withdrawn_at: WholeOrNull;
  written_off_at: WholeOrNull;
  /** JSON: the billing details; null: the buyer entered none, or the account was deleted. */
  bill_to: string | null;
}

interface PaymentListingTable {
  provider: string;
  listed_until: Whole;
  listed_at: WholeOrNull;
  list_at: Whole;
}

/** Rows are only added. */
interface WaiverTextTable {
  sha256: string;
  text: string;
}

/** Rows are only added. */
interface ConsentTable {
  order_id: string;
  account_id: string;
  waiver_version: string;
  text_sha256: string;
  at: Whole;
  address: string;
}

/** The declaration never changes; the columns from `state` on show its processing. */
interface WithdrawalTable {
  order_id: string;
  account_id: string;
  at: Whole;
  via: 'portal' | 'operator';
  address: string | null;
  session_id: string | null;
  /** The recipient of the receipt. */
  email: string | null;
  statement: string;
  statement_sha256: string;
  /** The part of the price that the customer was promised back. */
  amount_minor: Whole;
  /** The unused part of the paid period: `unused_ns` of `period_ns`. */
  unused_ns: Whole;
  period_ns: Whole;
  state: WithdrawalState;
  /** The charge, the amount refunded before, and the amount that the provider is to refund; decided once. */
  charge_id: string | null;
  refund_before_minor: WholeOrNull;
  refund_minor: WholeOrNull;
  /** When the refund was requested from a provider without idempotency keys. */
  refund_asked_at: WholeOrNull;
  /** How often it was taken; only the last taker may write progress. */
  taken: Whole;
  told_at: WholeOrNull;
  ended_at: WholeOrNull;
  refunded_at: WholeOrNull;
  attempts: Whole;
  try_at: WholeOrNull;
  fault: string | null;
}

/** One row: orders, consents and withdrawals of accounts deleted from then on are kept. */
interface OrdersBeginningTable {
  kept_from: Whole;
}

interface PaymentEventTable {
  provider: string;
  id: string;
  object_ref: string;
  at: Whole;
  received_at: Whole;
  state: PaymentEventState;
  attempts: Whole;
  try_at: WholeOrNull;
  fault: string | null;
}

export interface OrderTables {
  orders: OrderTable;
  payment_listings: PaymentListingTable;
  waiver_texts: WaiverTextTable;
  consents: ConsentTable;
  withdrawals: WithdrawalTable;
  orders_beginning: OrdersBeginningTable;
  payment_events: PaymentEventTable;
}

export type OrderRow = Selectable<OrderTable>;
export type OrderChange = Updateable<OrderTable>;
export type WithdrawalRow = Selectable<WithdrawalTable>;
export type WithdrawalChange = Updateable<WithdrawalTable>;
export type PaymentEventRow = Selectable<PaymentEventTable>;
export type PaymentListingRow = Selectable<PaymentListingTable>;
