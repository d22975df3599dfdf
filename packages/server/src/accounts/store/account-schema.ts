/**
 * The tables of the account store, as the newest migration leaves them. Every whole number is 64 bits wide and read as
 * a bigint, so nanoseconds keep their last digit. Lists and details are JSON text. Tables hold digests, never secrets.
 */

import type { ColumnType, Generated, Selectable } from 'kysely';
import type { KeyTables } from '../keys/key-tables.ts';
import type { LayoutTables } from '../layouts/layout-tables.ts';
import type { MailKind } from '../mails/mails-store.ts';
import type { OrderTables } from '../orders/order-tables.ts';
import type { PasskeyTables } from '../people/passkey-tables.ts';
import type { PeopleTables } from '../people/people-tables.ts';
import type { UsageTables } from '../usage/usage-tables.ts';
import type { AuditKind } from './audit-kinds.ts';
import type { Whole } from './columns.ts';

interface IdempotentRequestTable {
  /** The key that sent the request, or the session that acts as one. */
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
  /** How often it happened. Only counted refusals exceed 1; `last_at` is then the time of the last one. */
  count: ColumnType<bigint, bigint | undefined, bigint>;
  last_at: ColumnType<bigint | null, bigint | undefined, bigint>;
  /** The common part of refusals that count as one event; null for all other events. */
  counted_as: ColumnType<string | null, string | undefined, never>;
}

/** One row. */
interface AuditBeginningTable {
  /** Events before this instant may be removed; all others are kept. */
  kept_from: Whole;
}

/** The service's state, as a node observed it. */
interface StatusSpanTable {
  node: string;
  from_at: Whole;
  until_at: Whole;
  state: string;
}

/** A mail that must not be lost; its row is removed once the mail server has accepted it. */
interface MailTable {
  id: string;
  kind: MailKind;
  reader: string;
  order_id: string | null;
  /** JSON: the values of its text that the order does not have. */
  details: string;
  created_at: Whole;
  /** When it is tried next. During a delivery: until when no other process may deliver it. */
  try_at: Whole;
  tries: Whole;
}

export interface AccountSchema
  extends KeyTables,
    UsageTables,
    PeopleTables,
    PasskeyTables,
    LayoutTables,
    OrderTables {
  idempotent_requests: IdempotentRequestTable;
  audit_log: AuditTable;
  audit_beginning: AuditBeginningTable;
  status_spans: StatusSpanTable;
  mails: MailTable;
}

export type AuditRow = Selectable<AuditTable>;
export type MailRow = Selectable<MailTable>;
