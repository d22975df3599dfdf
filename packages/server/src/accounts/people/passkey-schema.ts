/** The tables about passkeys; see `account-schema.ts`. */

import type { ColumnType, Selectable } from 'kysely';
import type { ChallengePurpose } from './passkeys-store.ts';

type Whole = ColumnType<bigint, bigint | number, bigint | number>;
type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;

export interface PasskeyTable {
  id: string;
  account_id: string;
  /** Unique: a credential opens one account. */
  credential_id: string;
  public_key: string;
  counter: Whole;
  /** JSON. */
  transports: string;
  name: string;
  created_at: Whole;
  last_used_at: WholeOrNull;
}

export interface PasskeyChallengeTable {
  hash: string;
  purpose: ChallengePurpose;
  session_id: string | null;
  asked_by: string;
  created_at: Whole;
  expires_at: Whole;
}

/** A row while one waits. */
export interface PasskeyRecoveryTable {
  account_id: string;
  asked_at: Whole;
  due_at: Whole;
}

export type PasskeyRow = Selectable<PasskeyTable>;
