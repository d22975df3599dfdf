/**
 * The tables of the account store, as the newest migration leaves them. Every whole number is a 64-bit
 * integer and is read as a bigint, so that an instant in nanoseconds keeps its last digit; lists and
 * details are JSON in text columns. No secret is in any of them, only digests.
 */

import type { ColumnType, Generated, Selectable } from 'kysely';
import type { KeyTables } from '../keys/key-tables.ts';
import type { MailKind } from '../mails/mails-store.ts';
import type { OrderTables } from '../orders/order-tables.ts';
import type { PasskeyTables } from '../people/passkey-tables.ts';
import type { PeopleTables } from '../people/people-tables.ts';
import type { UsageTables } from '../usage/usage-tables.ts';
import type { AuditKind } from './audit-kinds.ts';
import type { Whole } from './columns.ts';

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

/** What a node saw of the service's state. */
interface StatusSpanTable {
  node: string;
  from_at: Whole;
  until_at: Whole;
  state: string;
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

export interface AccountSchema
  extends KeyTables,
    UsageTables,
    PeopleTables,
    PasskeyTables,
    OrderTables {
  idempotent_requests: IdempotentRequestTable;
  audit_log: AuditTable;
  audit_beginning: AuditBeginningTable;
  status_spans: StatusSpanTable;
  mails: MailTable;
}

export type AuditRow = Selectable<AuditTable>;
export type MailRow = Selectable<MailTable>;
