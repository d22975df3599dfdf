/** The tables of accounts, their grants, keys and stream tokens; see `account-schema.ts`. */

import type { Environment } from '@tapeloom/core/entitlement/key-rights';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { Selectable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';

interface AccountTable {
  id: string;
  name: string;
  created_at: Whole;
  suspended_at: WholeOrNull;
  /** Increased first by every change of keys or grants: the row lock makes such changes wait for each other. */
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

/** Stream tokens of people who are signed in to the portal. */
interface SessionTokenTable {
  hash: string;
  session_id: string;
  expires_at: Whole;
}

export interface KeyTables {
  accounts: AccountTable;
  grants: GrantTable;
  keys: KeyTable;
  stream_tokens: StreamTokenTable;
  session_tokens: SessionTokenTable;
}

export type AccountRow = Selectable<AccountTable>;
export type KeyRow = Selectable<KeyTable>;
