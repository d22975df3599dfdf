/**
 * The part of the account store about passkeys: which ones an owner has, the challenges that they sign, and the recovery
 * of an account whose passkeys are lost. A challenge is used up by the statement that finds it, and a passkey's counter
 * is judged by the statement that moves it, so that nothing is used twice on two nodes. Of a challenge the store knows
 * the digest only.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';
import type { LinkRefused, NewSession, PasskeyUse, SignedIn, TooMany } from './people-store.ts';

/** Passkeys an account may have. */
export const PASSKEYS_MAX = 10;
/** How many may be added in a day: each one is mailed, and stays in the audit log. */
export const PASSKEYS_ADDED_MAX = 20;
export const PASSKEYS_COUNTED_NS = DAY_NS_BIG;
/** How long somebody may take to find and touch the passkey. */
export const CHALLENGE_VALID_NS = 5n * MINUTE_NS_BIG;
/** Challenges that one session or one neighbourhood may have open, and all strangers together. */
export const CHALLENGES_OPEN_MAX = 100;
export const CHALLENGES_MAX = 100_000;
/** How long a recovery can be stopped. */
export const RECOVERY_WAIT_HOURS = 24;
export const RECOVERY_WAIT_NS = DAY_NS_BIG;
/** How often a day it may be asked for anew: each time is mailed. */
export const RECOVERIES_ASKED_MAX = 5;
export const RECOVERIES_COUNTED_NS = DAY_NS_BIG;

/** What an account that has a passkey asks one for. */
export const PASSKEY_ACTS = [
  'add-passkey',
  'remove-passkey',
  'second-factor',
  'email',
  'deletion',
  'key',
] as const;
export type PasskeyAct = (typeof PASSKEY_ACTS)[number];

/** What a challenge is good for: signing in, making a new passkey, or one of the acts. */
export type ChallengePurpose = 'sign-in' | 'new-passkey' | PasskeyAct;

export interface NewChallenge {
  readonly purpose: ChallengePurpose;
  /** The session that alone can use it; null: whoever has it. */
  readonly sessionId: string | null;
  /** Whose open challenges are counted: a neighbourhood, or a session. */
  readonly askedBy: string;
}

export interface NewPasskey {
  /** Base64url, as the authenticator named it. */
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

/** It is gone, of another account, or its counter went back: a copy of it may be about. */
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
  /** Uses a challenge up, whatever becomes of the attempt. False: there is none of this purpose and session. */
  useChallenge(
    now: EpochNs,
    hash: string,
    of: Pick<NewChallenge, 'purpose' | 'sessionId'>,
  ): Promise<boolean>;
  /** Uses a challenge up, and finds the passkey that is said to have signed it. Null: one of the two is not there. */
  signedBy(
    now: EpochNs,
    hash: string,
    of: Pick<NewChallenge, 'purpose' | 'sessionId'>,
    credentialId: string,
  ): Promise<PasskeyRecord | null>;

  /** The oldest first. */
  passkeysOf(accountId: string): Promise<readonly PasskeyRecord[]>;
  /**
   * The owner is owed a mail. With the first one, links that were sent before it and would change the address or delete
   * the account are worth nothing: from now on those acts ask for a passkey.
   */
  addPasskey(
    call: StoreCall,
    accountId: string,
    passkey: NewPasskey,
  ): Promise<PasskeyRecord | TooMany | { readonly refused: 'too-many-passkeys' | 'known' }>;
  /** With the last one the second factor is switched off, and a recovery has nothing left to do. */
  removePasskey(call: StoreCall, accountId: string, passkeyId: string): Promise<boolean>;
  /** Removes all of them; how many. */
  removePasskeys(call: StoreCall, accountId: string): Promise<number>;
  /** Notes a use, if the counter allows it. */
  usePasskey(now: EpochNs, accountId: string, use: PasskeyUse): Promise<boolean>;
  /** Notes the use and begins a session. */
  signInByPasskey(
    now: EpochNs,
    accountId: string,
    use: PasskeyUse,
    session: NewSession,
  ): Promise<SignedIn | PasskeyRefused>;

  /** Whether a sign-in link needs a passkey beside it. False: the account has no passkey to ask for. */
  setSecondFactor(call: StoreCall, accountId: string, isOn: boolean): Promise<boolean>;

  /** Null: nobody asked for it, or it is over. */
  recoveryOf(accountId: string): Promise<RecoveryRecord | null>;
  /**
   * Uses up a sign-in or recovery link to the owner of an account with passkeys, and begins the wait. The owner is owed a
   * mail with a link that stops it, `stop`. Asked again, it stays at the time it had.
   */
  askRecovery(
    call: StoreCall,
    hash: string,
    stop: { readonly hash: string; readonly token: string },
  ): Promise<RecoveryRecord | LinkRefused | TooMany>;
  /** By the link that was mailed when it was asked for, whatever address the account has by now. */
  stopRecoveryByLink(
    call: StoreCall,
    hash: string,
  ): Promise<LinkRefused | { readonly email: string }>;
  /** False: none is under way. */
  stopRecovery(call: StoreCall, accountId: string): Promise<boolean>;
}
