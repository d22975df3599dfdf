/**
 * The part of the account store about people: owners of accounts, sign-in, sessions and deletion. As in the whole
 * store, every method is one transaction, and callers pass the time. The store has only digests of links and sessions.
 * The statement that uses a link up also checks it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';

export const LINK_VALID_MINUTES = 15;
export const LINK_VALID_NS = BigInt(LINK_VALID_MINUTES) * MINUTE_NS_BIG;
/** Links to one mailbox per hour. */
export const LINKS_PER_MAILBOX_MAX = 5;
/**
 * Links per hour and neighbourhood before it is slowed to one a minute: offices and mobile networks share addresses.
 */
export const LINKS_PER_NEIGHBOURHOOD_AT_ONCE = 20;
export const LINKS_SLOW_NS = MINUTE_NS_BIG;
/** Links per hour in all: bounds what is stored and mailed, however many request links. */
export const LINKS_MAX = 100_000;
export const LINKS_COUNTED_NS = HOUR_NS_BIG;
/** Accounts that sign-ins from one neighbourhood may make in a day before it is slowed to one in ten minutes. */
export const NEW_ACCOUNTS_AT_ONCE = 20;
export const NEW_ACCOUNTS_COUNTED_NS = DAY_NS_BIG;
export const NEW_ACCOUNTS_SLOW_NS = 10n * MINUTE_NS_BIG;
/** From the sign-in on, regardless of use. */
export const SESSION_VALID_NS = 30n * DAY_NS_BIG;
/** Sessions of an account; one more ends the oldest. */
export const SESSIONS_MAX = 50;
/** How often a deletion may be requested in a day: each request is mailed and audited. */
export const DELETIONS_ASKED_MAX = 5;
export const DELETIONS_COUNTED_NS = DAY_NS_BIG;
/** How long a deletion can be withdrawn. */
export const DELETION_GRACE_NS = 14n * DAY_NS_BIG;

export const LINK_PURPOSES = [
  'sign-in',
  /** To the present address: approves a new address. */
  'email-approval',
  /** To the new address. */
  'email-change',
  /** To the present address: requests the account's deletion. */
  'deletion',
  /** To the present address: reports that the passkeys are lost. */
  'recovery',
  /** To the address at the time of a recovery: stops it. */
  'recovery-stop',
  'claim',
] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/**
 * `streamed`: a bar was streamed, by key or in the portal. `both`: the owner buys both offers and ordered the first.
 */
export type AccountMark = 'streamed' | 'both';

export interface OwnerRecord {
  readonly accountId: string;
  /** As the owner wrote it. */
  readonly email: string;
  readonly since: EpochNs;
  /** Whether the owner wants mails about the month's budget. */
  readonly usageMails: boolean;
  /** Whether a sign-in link also needs a passkey. */
  readonly secondFactor: boolean;
}

export interface NewLink {
  readonly purpose: LinkPurpose;
  /** The recipient; null for a claim. */
  readonly address: EmailAddress | null;
  /** The account it concerns; null: the one that the address owns, or a new one. */
  readonly accountId: string | null;
  /** The neighbourhood of the request; null: the operator, who has no limit. */
  readonly askedFrom: string | null;
  /** The address to be approved; absent for any other link. */
  readonly newAddress?: EmailAddress;
}

export interface LinkRecord {
  readonly purpose: LinkPurpose;
  readonly email: string | null;
  /** The address to be approved. */
  readonly newEmail: string | null;
  /** The account it opens; null: it would make a new one. */
  readonly account: { readonly id: string; readonly name: string } | null;
  /** Whether it signs in only together with a passkey. */
  readonly needsPasskey: boolean;
  readonly expiresAt: EpochNs;
}

/** Why a link is invalid: it does not exist, was used, or is too old. */
export type LinkRefused = { readonly refused: 'unknown' | 'used' | 'expired' };
/** Too many requests; the next one is possible from `until` on. */
export type TooMany = { readonly refused: 'too-many'; readonly until: EpochNs };
/** A passkey that signed a challenge, and its counter at that time. */
export interface PasskeyUse {
  readonly passkeyId: string;
  readonly counter: number;
}

/** The second factor is on and no passkey was used, or the passkey is invalid. */
export type PasskeyWanted = { readonly refused: 'needs-passkey' | 'passkey' };
/** The address owns another account, or the account has another owner by now. */
export type EmailTaken = { readonly refused: 'email-taken' };
export type AlreadyOwned = { readonly refused: 'already-owned' };

export interface ClaimUsed {
  /** The account's name. */
  readonly account: string;
  /** The expiry of the new link. */
  readonly expiresAt: EpochNs;
}

export interface NewSession {
  readonly hash: string;
  /** As text, such as "Firefox on Linux". */
  readonly browser: string;
  /** The digest of the browser's previous session, which ends. */
  readonly replaces: string | null;
  /** The neighbourhood it begins in. */
  readonly askedFrom: string;
}

export interface SessionRecord {
  readonly id: string;
  readonly accountId: string;
  /** The owner's address. */
  readonly email: string;
  readonly isSuspended: boolean;
  readonly browser: string;
  readonly createdAt: EpochNs;
  readonly expiresAt: EpochNs;
  /** To the minute. */
  readonly lastUsedAt: EpochNs;
}

export interface SignedIn {
  readonly session: SessionRecord;
  /** Whether the sign-in made the account. */
  readonly isNew: boolean;
}

export interface DeletionRecord {
  readonly accountId: string;
  readonly askedAt: EpochNs;
  readonly dueAt: EpochNs;
  /** Null: the account still exists. */
  readonly doneAt: EpochNs | null;
}

export interface PeopleStore {
  /** Null: the account has no owner yet. */
  ownerOf(accountId: string): Promise<OwnerRecord | null>;
  /** By the key of an address. */
  ownerByEmail(emailKey: string): Promise<OwnerRecord | null>;
  listOwners(): Promise<readonly Pick<OwnerRecord, 'accountId' | 'email'>[]>;
  /** The operator sets an owner: the previous one is signed out everywhere. */
  setOwner(
    call: StoreCall,
    accountId: string,
    address: EmailAddress,
  ): Promise<OwnerRecord | EmailTaken | { readonly refused: 'not-found' }>;

  setUsageMails(accountId: string, isOn: boolean): Promise<void>;

  /** Stores a link's digest, unless there are too many; the same limits apply to every address. */
  addLink(
    now: EpochNs,
    hash: string,
    link: NewLink,
  ): Promise<{ readonly expiresAt: EpochNs } | TooMany>;
  /** What a link would do; it stays valid. */
  findLink(now: EpochNs, hash: string): Promise<LinkRecord | LinkRefused>;
  /** Uses a claim up, and stores the link that makes the reader of this address the account's owner. */
  useClaim(
    now: EpochNs,
    hash: string,
    link: { readonly hash: string; readonly address: EmailAddress; readonly askedFrom: string },
  ): Promise<ClaimUsed | LinkRefused | TooMany | AlreadyOwned>;
  /**
   * Uses a sign-in link up and begins a session; the first sign-in makes the account. A rejection uses nothing up.
   * `use`: a passkey of the account that signed a challenge for this sign-in.
   */
  signIn(
    now: EpochNs,
    hash: string,
    session: NewSession,
    use?: PasskeyUse | null,
  ): Promise<SignedIn | LinkRefused | TooMany | EmailTaken | AlreadyOwned | PasskeyWanted>;
  /** Uses up a link sent to this account's present address; stores and returns a link to the new address. */
  approveEmail(
    now: EpochNs,
    accountId: string,
    hash: string,
    link: { readonly hash: string; readonly askedFrom: string },
  ): Promise<{ readonly email: string } | LinkRefused | TooMany>;
  /** Uses a link of this account up; its sessions stay valid. Both addresses are owed a mail. */
  changeEmail(
    call: StoreCall,
    accountId: string,
    hash: string,
  ): Promise<OwnerRecord | LinkRefused | EmailTaken>;

  /** By its digest; also an expired one. */
  findSession(hash: string): Promise<SessionRecord | null>;
  /** Valid sessions, the newest first. */
  sessionsOf(accountId: string, now: EpochNs): Promise<readonly SessionRecord[]>;
  /** Stores when a session was last used; an earlier time never replaces a later one. */
  touchSession(accountId: string, sessionId: string, now: EpochNs): Promise<void>;
  /** False: the account has no such session. */
  endSession(call: StoreCall, accountId: string, sessionId: string): Promise<boolean>;
  /** Ends all but one and returns how many. */
  endOtherSessions(call: StoreCall, accountId: string, sessionId: string): Promise<number>;

  marksOf(accountId: string): Promise<ReadonlySet<AccountMark>>;
  /** Sets a mark, which keeps the time when it was first set, or removes it. */
  setMark(now: EpochNs, accountId: string, mark: AccountMark, isSet: boolean): Promise<void>;
  markStreamed(now: EpochNs, accountIds: readonly string[]): Promise<void>;

  /** Null: none was requested, or it was withdrawn. */
  deletionOf(accountId: string): Promise<DeletionRecord | null>;
  /**
   * Uses up a link sent to this account's present address; null: the operator requests it. The owner is owed a mail. A
   * repeated request leaves the time unchanged. `isNow`: the deletion is due at once, also one requested earlier.
   */
  askDeletion(
    call: StoreCall,
    accountId: string,
    hash: string | null,
    isNow?: boolean,
  ): Promise<(DeletionRecord & { readonly isNew: boolean }) | TooMany | LinkRefused>;
  /** False: there is none, or it is due. */
  withdrawDeletion(call: StoreCall, accountId: string): Promise<boolean>;
  /** Accounts whose deletion is due, the longest due first, a thousand at most. */
  deletionsDue(now: EpochNs): Promise<readonly string[]>;
  /**
   * Deletes a due account: its keys are revoked, its sessions and grants end, and no personal data remains except in
   * the mail that its owner is owed. False: it is not due, or was deleted before.
   */
  deleteAccount(call: StoreCall, accountId: string): Promise<boolean>;
}
