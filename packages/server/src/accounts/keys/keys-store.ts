/** The part of the account store about accounts, their keys and stream tokens; see `account-store.ts`. */

import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { OnceRefused } from '../store/once.ts';
import type { StoreCall } from '../store/store-call.ts';

/** Valid (active or expiring) keys an account may have. */
export const VALID_KEYS_MAX = 10;
/** How long an ended key stays in the list. */
export const ENDED_KEY_SHOWN_NS = 30n * DAY_NS_BIG;
/** Keys in the list; while it is full, no key can be made. */
export const KEYS_LISTED_MAX = 1_000;
/** Keys that an account's own keys may make in 24 hours, created and rotated together. */
export const KEYS_MADE_MAX = 200;
export const KEYS_MADE_NS = DAY_NS_BIG;
/** How long a stream token is valid. */
export const TOKEN_VALID_NS = MINUTE_NS_BIG;

export interface AccountRecord {
  readonly id: string;
  /** The operators' name for it; unique. */
  readonly name: string;
  readonly createdAt: EpochNs;
  readonly suspendedAt: EpochNs | null;
  readonly grants: readonly Grant[];
}

export interface KeyRecord extends KeyRights {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAt: EpochNs;
  /** To the minute. */
  readonly lastUsedAt: EpochNs | null;
  readonly revokedAt: EpochNs | null;
  /** The key that replaced it. */
  readonly rotatedTo: string | null;
  /** The last four characters of the secret. */
  readonly hint: string;
}

export interface NewKey extends KeyRights {
  readonly name: string;
}

/** The stored form of a secret: SHA-256 in hexadecimal, and the last four characters. */
export interface SecretDigest {
  readonly hash: string;
  readonly hint: string;
}

/** A rejection as plain data: the endpoints choose status and words. */
export type Refused =
  | { readonly refused: 'not-found' }
  /** The acting key is revoked, expired or unknown by now, or its account is suspended. */
  | { readonly refused: 'actor-ended' }
  /** Recorded in the audit log as `key.management-refused`. */
  | { readonly refused: 'criterion'; readonly criterion: ManagementCriterion }
  | { readonly refused: 'too-many-keys' }
  /** Counted in the audit log as `key.limit-refused`; the next key can be made at `until`. */
  | { readonly refused: 'made-too-many' | 'list-full'; readonly until: EpochNs }
  | { readonly refused: 'already-rotated' }
  /** The key to rotate is revoked or expired. */
  | { readonly refused: 'ended' };

export interface KeyWithAccount {
  readonly key: KeyRecord;
  readonly account: AccountRecord;
}

export interface Rotation {
  readonly created: KeyRecord;
  readonly previous: KeyRecord;
}

export interface KeysStore {
  createAccount(
    call: StoreCall,
    account: { readonly name: string; readonly grants: readonly Grant[] },
  ): Promise<AccountRecord | { readonly refused: 'name-taken' }>;
  findAccount(idOrName: string): Promise<AccountRecord | null>;
  listAccounts(): Promise<readonly AccountRecord[]>;
  setGrants(
    call: StoreCall,
    accountId: string,
    grants: readonly Grant[],
  ): Promise<AccountRecord | null>;
  setSuspended(
    call: StoreCall,
    accountId: string,
    isSuspended: boolean,
  ): Promise<AccountRecord | null>;

  /** Includes ended keys, so that the error can give the reason. */
  findKey(hash: string): Promise<KeyWithAccount | null>;
  /**
   * A key of this account, also an ended one. With null, for operators and the service itself: a key of any account, or
   * a session, as the key that its tokens belong to.
   */
  findKeyById(accountId: string | null, keyId: string): Promise<KeyWithAccount | null>;
  /** Newest first: valid keys and those that ended in the last 30 days. */
  listKeys(now: EpochNs, accountId: string): Promise<readonly KeyRecord[]>;
  createKey(
    call: StoreCall,
    accountId: string,
    key: NewKey,
    secret: SecretDigest,
  ): Promise<KeyRecord | Refused | OnceRefused>;
  rotateKey(
    call: StoreCall,
    accountId: string,
    keyId: string,
    graceSeconds: number,
    secret: SecretDigest,
  ): Promise<Rotation | Refused | OnceRefused>;
  /** Revoking an ended key changes nothing and returns its record. */
  revokeKey(call: StoreCall, accountId: string, keyId: string): Promise<KeyRecord | Refused>;
  /** Stores when keys were last used; an earlier time never replaces a later one. */
  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): Promise<void>;

  /** Stores the digest of a token of this key; false when the key has ended. */
  issueToken(
    now: EpochNs,
    token: { readonly hash: string; readonly keyId: string; readonly expiresAt: EpochNs },
  ): Promise<boolean>;
  /** The same for a session: the token has the account's right to stream, and ends with the session. */
  issueSessionToken(
    now: EpochNs,
    accountId: string,
    token: { readonly hash: string; readonly sessionId: string; readonly expiresAt: EpochNs },
  ): Promise<boolean>;
  /** Uses the token up. Null when the digest is unknown, the token is too old, or its key has ended. */
  consumeToken(now: EpochNs, hash: string): Promise<KeyWithAccount | null>;
}
