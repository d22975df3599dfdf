/**
 * The part of the account store about people: who owns an account, how they sign in, in which browsers they are, and
 * how they leave. As in the store itself, every method is one transaction, and callers say what time it is. Of links
 * and sessions the store knows digests only. Whether a link may be used is judged by the statement that uses it up.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';

export const LINK_VALID_MINUTES = 15;
export const LINK_VALID_NS = BigInt(LINK_VALID_MINUTES) * MINUTE_NS_BIG;
/** Links to one mailbox in an hour. */
export const LINKS_PER_MAILBOX_MAX = 5;
/**
 * Links asked for from one neighbourhood in an hour before it gets slower: offices and mobile networks share an address.
 * From then on there is one a minute.
 */
export const LINKS_PER_NEIGHBOURHOOD_AT_ONCE = 20;
export const LINKS_SLOW_NS = MINUTE_NS_BIG;
/** And in all, so that however many ask from wherever, what is kept and mailed has an end. */
export const LINKS_MAX = 100_000;
export const LINKS_COUNTED_NS = HOUR_NS_BIG;
/** Accounts that sign-ins from one neighbourhood make in a day before it gets slower: from then on one in ten minutes. */
export const NEW_ACCOUNTS_AT_ONCE = 20;
export const NEW_ACCOUNTS_COUNTED_NS = DAY_NS_BIG;
export const NEW_ACCOUNTS_SLOW_NS = 10n * MINUTE_NS_BIG;
/** From the sign-in on, however much it is used. */
export const SESSION_VALID_NS = 30n * DAY_NS_BIG;
/** Browsers in which somebody may be signed in at once; one more, and the oldest session ends. */
export const SESSIONS_MAX = 50;
/** How often a day a deletion may be asked for anew: each time is mailed, and stays in the audit log. */
export const DELETIONS_ASKED_MAX = 5;
export const DELETIONS_COUNTED_NS = DAY_NS_BIG;
/** For how long a deletion can be withdrawn. */
export const DELETION_GRACE_NS = 14n * DAY_NS_BIG;

/** What a link that was mailed is good for. */
export const LINK_PURPOSES = [
  'sign-in',
  /** To the present address: that the account may get another one. */
  'email-approval',
  /** To the new address. */
  'email-change',
  /** To the present address: that the account is to be deleted. */
  'deletion',
  /** To the present address: that the passkeys are lost. */
  'recovery',
  /** To the address at the time of a recovery: that it is to be stopped. */
  'recovery-stop',
  'claim',
] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** `streamed`: a bar was streamed, by a key or in the portal. `both`: the owner ordered one offer as the first of both. */
export type AccountMark = 'streamed' | 'both';

export interface OwnerRecord {
  readonly accountId: string;
  /** As its owner wrote it. */
  readonly email: string;
  readonly since: EpochNs;
  /** Whether mails about the month's budget are wanted. */
  readonly usageMails: boolean;
  /** Whether a sign-in link needs a passkey beside it. */
  readonly secondFactor: boolean;
}

/** A link to be sent, or handed over. */
export interface NewLink {
  readonly purpose: LinkPurpose;
  /** Whom it is sent to; null of a claim. */
  readonly address: EmailAddress | null;
  /** The account it is about; null: the one that the address owns, or a new one. */
  readonly accountId: string | null;
  /** The neighbourhood of who asks; null: the operator, for whom no limit counts. */
  readonly askedFrom: string | null;
  /** The address that is to be approved; left out of any other link. */
  readonly newAddress?: EmailAddress;
}

export interface LinkRecord {
  readonly purpose: LinkPurpose;
  readonly email: string | null;
  /** The address that is to be approved. */
  readonly newEmail: string | null;
  /** The account it opens, by its id and name; null: one that it would make. */
  readonly account: { readonly id: string; readonly name: string } | null;
  /** Whether it signs in with a passkey beside it only. */
  readonly needsPasskey: boolean;
  readonly expiresAt: EpochNs;
}

/** Why a link is not good: nobody made it, it was used, or it is too old. */
export type LinkRefused = { readonly refused: 'unknown' | 'used' | 'expired' };
/** Too many were asked for; the next one can be from `until` on. */
export type TooMany = { readonly refused: 'too-many'; readonly until: EpochNs };
/** A passkey that has signed a challenge, and what its counter was then. */
export interface PasskeyUse {
  readonly passkeyId: string;
  readonly counter: number;
}

/** The account's second factor is on, and no passkey was used; or the one that was used is not good. */
export type PasskeyWanted = { readonly refused: 'needs-passkey' | 'passkey' };
/** The address owns another account; or somebody else has become the account's owner. */
export type EmailTaken = { readonly refused: 'email-taken' };
export type AlreadyOwned = { readonly refused: 'already-owned' };

export interface ClaimUsed {
  /** The account's name. */
  readonly account: string;
  /** Of the new link. */
  readonly expiresAt: EpochNs;
}

export interface NewSession {
  readonly hash: string;
  /** In words, such as "Firefox on Linux". */
  readonly browser: string;
  /** The digest of the session that the same browser had; it ends. */
  readonly replaces: string | null;
  /** The neighbourhood it begins in. */
  readonly askedFrom: string;
}

export interface SessionRecord {
  readonly id: string;
  readonly accountId: string;
  /** The owner's. */
  readonly email: string;
  /** Whether the operator has suspended the account. */
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
  /** Null: the account is still there. */
  readonly doneAt: EpochNs | null;
}

export interface PeopleStore {
  /** Null: nobody owns the account yet. */
  ownerOf(accountId: string): Promise<OwnerRecord | null>;
  /** By the key of an address. */
  ownerByEmail(emailKey: string): Promise<OwnerRecord | null>;
  /** Of every account that has one; for operators. */
  listOwners(): Promise<readonly Pick<OwnerRecord, 'accountId' | 'email'>[]>;
  /** The operator's word: whoever owned the account before is signed out everywhere. */
  setOwner(
    call: StoreCall,
    accountId: string,
    address: EmailAddress,
  ): Promise<OwnerRecord | EmailTaken | { readonly refused: 'not-found' }>;

  /** Switches mails about the month's budget on or off. */
  setUsageMails(accountId: string, isOn: boolean): Promise<void>;

  /** Keeps a link's digest, unless there were too many; what counts is the same for every address. */
  addLink(
    now: EpochNs,
    hash: string,
    link: NewLink,
  ): Promise<{ readonly expiresAt: EpochNs } | TooMany>;
  /** What a link would do; it stays as good as it was. */
  findLink(now: EpochNs, hash: string): Promise<LinkRecord | LinkRefused>;
  /** Uses a claim up, and keeps the link that makes who can read this address the account's owner. */
  useClaim(
    now: EpochNs,
    hash: string,
    link: { readonly hash: string; readonly address: EmailAddress; readonly askedFrom: string },
  ): Promise<ClaimUsed | LinkRefused | TooMany | AlreadyOwned>;
  /**
   * Uses a sign-in link up and begins a session; makes the account at the first one. A refusal uses nothing up. `use`: a
   * passkey that signed a challenge for it, of the account that the link opens.
   */
  signIn(
    now: EpochNs,
    hash: string,
    session: NewSession,
    use?: PasskeyUse | null,
  ): Promise<SignedIn | LinkRefused | TooMany | EmailTaken | AlreadyOwned | PasskeyWanted>;
  /**
   * Uses up a link of this very account that was sent to the address it has, and keeps a link to the new address, which is
   * answered.
   */
  approveEmail(
    now: EpochNs,
    accountId: string,
    hash: string,
    link: { readonly hash: string; readonly askedFrom: string },
  ): Promise<{ readonly email: string } | LinkRefused | TooMany>;
  /** Uses a link of this very account up; its sessions go on. Both addresses are owed a mail. */
  changeEmail(
    call: StoreCall,
    accountId: string,
    hash: string,
  ): Promise<OwnerRecord | LinkRefused | EmailTaken>;

  /** By its digest; also one that is too old. */
  findSession(hash: string): Promise<SessionRecord | null>;
  /** Those that go on, the newest first. */
  sessionsOf(accountId: string, now: EpochNs): Promise<readonly SessionRecord[]>;
  /** When a session was last used; an earlier time never replaces a later one. */
  touchSession(accountId: string, sessionId: string, now: EpochNs): Promise<void>;
  /** False: the account has no such session. */
  endSession(call: StoreCall, accountId: string, sessionId: string): Promise<boolean>;
  /** Ends all but one; how many. */
  endOtherSessions(call: StoreCall, accountId: string, sessionId: string): Promise<number>;

  marksOf(accountId: string): Promise<ReadonlySet<AccountMark>>;
  /** Sets a mark, which keeps the time it was first set; or (`isSet` false) removes it. */
  setMark(now: EpochNs, accountId: string, mark: AccountMark, isSet: boolean): Promise<void>;
  /** These accounts have streamed something. */
  markStreamed(now: EpochNs, accountIds: readonly string[]): Promise<void>;

  /** Null: nobody asked for it, or it was withdrawn. */
  deletionOf(accountId: string): Promise<DeletionRecord | null>;
  /**
   * Uses up a link of this very account that was sent to the address it has; null: the operator's word, which needs none.
   * Asked again, it stays at the time it had. The owner is owed a mail about it. `isNow`: its time has come with it, also
   * where it was asked for before.
   */
  askDeletion(
    call: StoreCall,
    accountId: string,
    hash: string | null,
    isNow?: boolean,
  ): Promise<(DeletionRecord & { readonly isNew: boolean }) | TooMany | LinkRefused>;
  /** False: there is none to withdraw, or its time has come. */
  withdrawDeletion(call: StoreCall, accountId: string): Promise<boolean>;
  /** Accounts whose time has come, the longest due first, a thousand at most. */
  deletionsDue(now: EpochNs): Promise<readonly string[]>;
  /**
   * Deletes an account whose time has come: its keys are revoked, its sessions end, its rights go, and nothing that
   * is left names a person but the mail that its owner is owed. False: it is not due, or was done before.
   */
  deleteAccount(call: StoreCall, accountId: string): Promise<boolean>;
}
