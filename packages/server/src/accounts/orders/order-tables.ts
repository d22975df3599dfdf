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
  /** Plans, as JSON. */
  grants: string;
  kind: Payment['kind'];
  amount_minor: Whole;
  currency: string;
  /** 1: the price included tax when it was ordered. */
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
  /** 1: it does not renew. */
  cancel_at_period_end: Whole;
  revision: Whole;
  looked_at: WholeOrNull;
  look_at: WholeOrNull;
  /** How often the provider was asked, and which of these answers was taken last. */
  asks: Whole;
  heard_ask: Whole;
  confirmed_at: WholeOrNull;
  failure_told: WholeOrNull;
  /** The right of withdrawal as it was when it was ordered. */
  withdrawal_days: Whole;
  withdrawal_lost_at: 'access' | 'never';
  withdrawal_refund: 'rest' | 'all';
  withdrawn_at: WholeOrNull;
  written_off_at: WholeOrNull;
  /** JSON: whom it is billed to; null: the buyer gave nothing, or the account was deleted. */
  bill_to: string | null;
}

/** Up to where a provider's events were listed. */
interface PaymentListingTable {
  provider: string;
  listed_until: Whole;
  listed_at: WholeOrNull;
  list_at: Whole;
}

/** Can only grow. */
interface WaiverTextTable {
  sha256: string;
  text: string;
}

/** Can only grow. */
interface ConsentTable {
  order_id: string;
  account_id: string;
  waiver_version: string;
  text_sha256: string;
  at: Whole;
  address: string;
}

/** What was declared stays as it is; what became of it is from `state` on. */
interface WithdrawalTable {
  order_id: string;
  account_id: string;
  at: Whole;
  via: 'portal' | 'operator';
  address: string | null;
  session_id: string | null;
  /** Where the receipt goes. */
  email: string | null;
  statement: string;
  statement_sha256: string;
  /** What the customer was told that is given back, of the price. */
  amount_minor: Whole;
  /** The part of the paid period that was still to come: `unused_ns` of `period_ns`. */
  unused_ns: Whole;
  period_ns: Whole;
  state: WithdrawalState;
  /** What the provider is asked to give back, of which charge, and what was given back of it before; decided once. */
  charge_id: string | null;
  refund_before_minor: WholeOrNull;
  refund_minor: WholeOrNull;
  /** When the refund was asked for at a provider without idempotency keys. */
  refund_asked_at: WholeOrNull;
  /** How often it was taken; only who took it last may write what became of it. */
  taken: Whole;
  told_at: WholeOrNull;
  ended_at: WholeOrNull;
  refunded_at: WholeOrNull;
  attempts: Whole;
  try_at: WholeOrNull;
  fault: string | null;
}

/** One row. Of accounts that were deleted from then on, orders, consents and withdrawals are kept. */
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
