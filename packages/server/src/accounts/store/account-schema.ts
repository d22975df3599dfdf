/**
 * The tables of the account store, as the newest migration leaves them. Every whole number is a 64-bit
 * integer and is read as a bigint, so that an instant in nanoseconds keeps its last digit; lists and
 * details are JSON in text columns. No secret is in any of them, only digests.
 */

import type { Environment } from '@tapeloom/core/entitlement/key-rights';
import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { ColumnType, Generated, Selectable, Updateable } from 'kysely';
import type { AuditKind, Budget } from './account-store.ts';
import type { MailKind } from '../mails/mails-store.ts';
import type { PaymentEventState } from '../orders/orders-store.ts';
import type {
  PasskeyChallengeTable,
  PasskeyRecoveryTable,
  PasskeyTable,
} from '../people/passkey-schema.ts';
import type { AccountMark, LinkPurpose } from '../people/people-store.ts';
import type { WithdrawalState } from '../orders/withdrawals-store.ts';

type Whole = ColumnType<bigint, bigint | number, bigint | number>;
type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;

interface AccountTable {
  id: string;
  name: string;
  created_at: Whole;
  suspended_at: WholeOrNull;
  /** Raised first by everything that changes keys or grants: the row makes such changes wait in turn. */
  revision: Whole;
}

interface GrantTable {
  account_id: string;
  position: Whole;
  plan: Grant['plan'];
  until: WholeOrNull;
  /** `operator`, or the id of the order that grants it. */
  source: string;
}

interface KeyTable {
  id: string;
  account_id: string;
  hash: string;
  hint: string;
  name: string;
  environment: Environment;
  scopes: string;
  instruments: string | null;
  allowed_ips: string | null;
  created_at: Whole;
  expires_at: WholeOrNull;
  last_used_at: WholeOrNull;
  revoked_at: WholeOrNull;
  rotated_to: string | null;
}

interface StreamTokenTable {
  hash: string;
  key_id: string;
  expires_at: Whole;
}

/** Of people who are signed in to the portal. */
interface SessionTokenTable {
  hash: string;
  session_id: string;
  expires_at: Whole;
}

interface MonthUsageTable {
  account_id: string;
  period: string;
  compute_units: Whole;
  history_items: Whole;
  export_bytes: Whole;
  rest_requests: Whole;
  reserved_compute_units: Whole;
  reserved_export_bytes: Whole;
  /** Of all these, what is of test keys. */
  test_compute_units: Whole;
  test_history_items: Whole;
  test_export_bytes: Whole;
  test_rest_requests: Whole;
  test_reserved_compute_units: Whole;
  test_reserved_export_bytes: Whole;
}

interface KeyUsageTable {
  account_id: string;
  period: string;
  key_id: string;
  compute_units: Whole;
  history_items: Whole;
  export_bytes: Whole;
  rest_requests: Whole;
}

interface DayUsageTable {
  account_id: string;
  /** 20261116 */
  day: Whole;
  compute_units: Whole;
  export_bytes: Whole;
}

/**
 * `open` holds its amount in the month's reserved column; the three others hold nothing. `expired` may
 * still be settled (which charges) or voided.
 */
export type ReservationState = 'open' | 'expired' | 'settled' | 'voided';

interface ReservationTable {
  id: string;
  account_id: string;
  /** Null: made before use was told apart by keys. */
  key_id: string | null;
  /** 1 when it counts at the limits of test keys as well. */
  is_test: Whole;
  budget: Budget;
  amount: Whole;
  period: string;
  expires_at: Whole;
  state: ReservationState;
}

interface IdempotentRequestTable {
  /** The key that asked. */
  key_id: string;
  idempotency_key: string;
  account_id: string;
  request: string;
  answer: string;
  expires_at: Whole;
}

interface AuditTable {
  sequence: Generated<bigint>;
  at: Whole;
  kind: AuditKind;
  account_id: string;
  key_id: string | null;
  actor: string;
  details: string;
  /** How often it happened; above 1 for counted refusals only, then `last_at` is when last. */
  count: ColumnType<bigint, bigint | undefined, bigint>;
  last_at: ColumnType<bigint | null, bigint | undefined, bigint>;
  /** What refusals that are one event have in common; null for everything else. */
  counted_as: ColumnType<string | null, string | undefined, never>;
}

/** One row. */
interface AuditBeginningTable {
  /** Events before this instant may be gone; all others are kept. */
  kept_from: Whole;
}

interface OwnerTable {
  account_id: string;
  /** As its owner wrote it. */
  email: string;
  /** What two ways to write one address have in common; unique. */
  email_key: string;
  since: Whole;
  /** 1: mails about the month's budget are wanted. */
  usage_mails: ColumnType<bigint, bigint | number | undefined, bigint | number>;
  /** 1: a sign-in link needs a passkey beside it. */
  second_factor: ColumnType<bigint, bigint | number | undefined, bigint | number>;
}

/** Which mails about a month's budget were owed. */
interface UsageToldTable {
  account_id: string;
  period: string;
  budget: Budget;
  budget_limit: Whole;
  percent: Whole;
}

/** What a node saw of the service's state. */
interface StatusSpanTable {
  node: string;
  from_at: Whole;
  until_at: Whole;
  state: string;
}

interface LinkTable {
  hash: string;
  purpose: LinkPurpose;
  /** Whom it was sent to; null of a claim, which is handed over by hand. */
  email: string | null;
  email_key: string | null;
  /** The account it is about; null: the one its address owns, or a new one. */
  account_id: string | null;
  /** The neighbourhood of who asked for it; null: the operator did. */
  asked_from: string | null;
  created_at: Whole;
  expires_at: Whole;
  used_at: WholeOrNull;
  /** The address that the reader is asked to approve. */
  new_email: string | null;
  new_email_key: string | null;
}

/** A row is written first by whoever counts for this address or mailbox: others wait, and then see what was done. */
interface PeopleTurnTable {
  who: string;
  at: Whole;
}

interface SessionTable {
  id: string;
  hash: string;
  account_id: string;
  /** In words, such as "Firefox on Linux". */
  browser: string;
  created_at: Whole;
  expires_at: Whole;
  last_used_at: Whole;
}

/** Accounts that came to be by a sign-in, for a day. */
interface AccountBirthTable {
  account_id: string;
  asked_from: string;
  created_at: Whole;
}

interface AccountDeletionTable {
  account_id: string;
  asked_at: Whole;
  due_at: Whole;
  done_at: WholeOrNull;
}

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

/** A mail that must not be lost; the row goes once the mail server has taken it. */
interface MailTable {
  id: string;
  kind: MailKind;
  reader: string;
  order_id: string | null;
  /** JSON: what its text needs beside the order. */
  details: string;
  created_at: Whole;
  /** When it is tried next; while somebody delivers it, until when nobody else does. */
  try_at: Whole;
  tries: Whole;
}

/** Of an account, each once. */
interface AccountMarkTable {
  account_id: string;
  mark: AccountMark;
  at: Whole;
}

export interface AccountSchema {
  accounts: AccountTable;
  grants: GrantTable;
  keys: KeyTable;
  stream_tokens: StreamTokenTable;
  session_tokens: SessionTokenTable;
  month_usage: MonthUsageTable;
  key_usage: KeyUsageTable;
  day_usage: DayUsageTable;
  reservations: ReservationTable;
  idempotent_requests: IdempotentRequestTable;
  audit_log: AuditTable;
  audit_beginning: AuditBeginningTable;
  owners: OwnerTable;
  sign_in_links: LinkTable;
  people_turns: PeopleTurnTable;
  sessions: SessionTable;
  account_births: AccountBirthTable;
  account_deletions: AccountDeletionTable;
  orders: OrderTable;
  waiver_texts: WaiverTextTable;
  consents: ConsentTable;
  withdrawals: WithdrawalTable;
  orders_beginning: OrdersBeginningTable;
  payment_events: PaymentEventTable;
  payment_listings: PaymentListingTable;
  mails: MailTable;
  account_marks: AccountMarkTable;
  usage_told: UsageToldTable;
  status_spans: StatusSpanTable;
  passkeys: PasskeyTable;
  passkey_challenges: PasskeyChallengeTable;
  passkey_recoveries: PasskeyRecoveryTable;
}

export type AccountRow = Selectable<AccountTable>;
export type KeyRow = Selectable<KeyTable>;
export type LinkRow = Selectable<LinkTable>;
export type AuditRow = Selectable<AuditTable>;
export type OrderRow = Selectable<OrderTable>;
export type OrderChange = Updateable<OrderTable>;
export type WithdrawalRow = Selectable<WithdrawalTable>;
export type WithdrawalChange = Updateable<WithdrawalTable>;
export type PaymentEventRow = Selectable<PaymentEventTable>;
export type MailRow = Selectable<MailTable>;
export type PaymentListingRow = Selectable<PaymentListingTable>;
