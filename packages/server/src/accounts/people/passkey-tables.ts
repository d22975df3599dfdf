/** The tables about passkeys; see `account-schema.ts`. */

import type { Selectable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';
import type { ChallengePurpose } from './passkeys-store.ts';

interface PasskeyTable {
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

interface PasskeyChallengeTable {
  hash: string;
  purpose: ChallengePurpose;
  session_id: string | null;
  asked_by: string;
  created_at: Whole;
  expires_at: Whole;
}

/** A row exists while a recovery waits. */
interface PasskeyRecoveryTable {
  account_id: string;
  asked_at: Whole;
  due_at: Whole;
}

export interface PasskeyTables {
  passkeys: PasskeyTable;
  passkey_challenges: PasskeyChallengeTable;
  passkey_recoveries: PasskeyRecoveryTable;
}

export type PasskeyRow = Selectable<PasskeyTable>;
