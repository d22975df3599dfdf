/**
 * The part of the account store about passkeys: those of an owner, the challenges that they sign, and the recovery of
 * an account whose passkeys are lost. The statement that finds a challenge uses it up, and the statement that updates a
 * passkey's counter checks it, so nothing is used twice on two nodes. The store has only the digest of a challenge.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';
import type { LinkRefused, NewSession, PasskeyUse, SignedIn, TooMany } from './people-store.ts';

export const PASSKEYS_MAX = 10;
/** Passkeys that may be added in a day: each one is mailed and audited. */
export const PASSKEYS_ADDED_MAX = 20;
export const PASSKEYS_COUNTED_NS = DAY_NS_BIG;
/** How long a person may take to find and touch the passkey. */
export const CHALLENGE_VALID_NS = 5n * MINUTE_NS_BIG;
/** Open challenges of one session or one neighbourhood, and of all visitors who are not signed in. */
export const CHALLENGES_OPEN_MAX = 100;
export const CHALLENGES_MAX = 100_000;
/** How long a recovery waits and can be stopped. */
export const RECOVERY_WAIT_HOURS = 24;
export const RECOVERY_WAIT_NS = DAY_NS_BIG;
/** How often a recovery may be started in a day: each one is mailed. */
export const RECOVERIES_ASKED_MAX = 5;
export const RECOVERIES_COUNTED_NS = DAY_NS_BIG;

/** Acts for which an account with a passkey must use it. */
export const PASSKEY_ACTS = [
  'add-passkey',
  'remove-passkey',
  'second-factor',
  'email',
  'deletion',
  'key',
] as const;
export type PasskeyAct = (typeof PASSKEY_ACTS)[number];

/** What a challenge is for: signing in, creating a passkey, or one of the acts. */
export type ChallengePurpose = 'sign-in' | 'new-passkey' | PasskeyAct;

export interface NewChallenge {
  readonly purpose: ChallengePurpose;
  /** The only session that can use it; null: any holder. */
  readonly sessionId: string | null;
  /** Whose open challenges it counts towards: a neighbourhood or a session. */
  readonly askedBy: string;
}

export interface NewPasskey {
  /** Base64url, as the authenticator reported it. */
  readonly credentialId: string;
  /** The COSE key in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  /** How a browser can reach it, such as `internal` or `usb`. */
  readonly transports: readonly string[];
  readonly name: string;
}

export interface PasskeyRecord extends NewPasskey {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: EpochNs;
  readonly lastUsedAt: EpochNs | null;
}

/** The passkey is removed, belongs to another account, or its counter went back: it may have been copied. */
export type PasskeyRefused = { readonly refused: 'passkey' };

export interface RecoveryRecord {
  readonly askedAt: EpochNs;
  /** When the passkeys are removed, unless it is stopped. */
  readonly dueAt: EpochNs;
}

export interface PasskeysStore {
  addChallenge(
    now: EpochNs,
    hash: string,
    challenge: NewChallenge,
  ): Promise<{ readonly expiresAt: EpochNs } | TooMany>;
  /** Uses a challenge up, whatever becomes of the attempt. False: there is none with this purpose and session. */
  useChallenge(
    now: EpochNs,
    hash: string,
    of: Pick<NewChallenge, 'purpose' | 'sessionId'>,
  ): Promise<boolean>;
  /** Uses a challenge up, and finds the passkey that allegedly signed it. Null: one of the two does not exist. */
  signedBy(
    now: EpochNs,
    hash: string,
    of: Pick<NewChallenge, 'purpose' | 'sessionId'>,
    credentialId: string,
  ): Promise<PasskeyRecord | null>;

  /** Oldest first. */
  passkeysOf(accountId: string): Promise<readonly PasskeyRecord[]>;
  /**
   * The owner is owed a mail. The first passkey invalidates open links that would change the address or delete the
   * account: from now on these acts need a passkey.
   */
  addPasskey(
    call: StoreCall,
    accountId: string,
    passkey: NewPasskey,
  ): Promise<PasskeyRecord | TooMany | { readonly refused: 'too-many-passkeys' | 'known' }>;
  /** Removing the last one switches the second factor off and ends a recovery. */
  removePasskey(call: StoreCall, accountId: string, passkeyId: string): Promise<boolean>;
  /** Removes all of them and returns how many. */
  removePasskeys(call: StoreCall, accountId: string): Promise<number>;
  /** Records a use, if the counter allows it. */
  usePasskey(now: EpochNs, accountId: string, use: PasskeyUse): Promise<boolean>;
  /** Records the use and begins a session. */
  signInByPasskey(
    now: EpochNs,
    accountId: string,
    use: PasskeyUse,
    session: NewSession,
  ): Promise<SignedIn | PasskeyRefused>;

  /** Whether a sign-in link also needs a passkey. Returns false if the account has none. */
  setSecondFactor(call: StoreCall, accountId: string, isOn: boolean): Promise<boolean>;

  /** Null: none was requested, or it is over. */
  recoveryOf(accountId: string): Promise<RecoveryRecord | null>;
  /**
   * Uses up a sign-in or recovery link of the owner of an account with passkeys, and begins the wait. The owner is owed
   * a mail with the link `stop`, which stops it. A repeated request leaves the time unchanged.
   */
  askRecovery(
    call: StoreCall,
    hash: string,
    stop: { readonly hash: string; readonly token: string },
  ): Promise<RecoveryRecord | LinkRefused | TooMany>;
  /** By the link that was mailed at the request, whatever address the account has by now. */
  stopRecoveryByLink(
    call: StoreCall,
    hash: string,
  ): Promise<LinkRefused | { readonly email: string }>;
  /** False: there is none. */
  stopRecovery(call: StoreCall, accountId: string): Promise<boolean>;
}
