/**
 * The port of the account store: accounts, keys, stream tokens, budgets and the audit log. Every method but
 * `sweep` is one transaction: when it resolves, what it did is on disk and every later call sees it (but see
 * `usageOf`); when it rejects, nothing happened (but see `unreachable`). Whatever must never be exceeded (ten keys, one use of a
 * token, a budget) is judged by the statement that writes, so that parallel callers cannot pass together.
 *
 * The store has no clock: callers say what time it is. Adapters: SQLite for one machine, PostgreSQL for many; both run
 * `account-store.contract.ts`.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import { Refusal } from '../../platform/refusal.ts';
import { type AuditKind, REFUSAL_KINDS, type RefusalKind } from './audit-kinds.ts';
import type { MailsStore } from '../mails/mails-store.ts';
import type { Done, OnceRefused } from './once.ts';
import type { OrdersStore } from '../orders/orders-store.ts';
import type { PasskeysStore } from '../people/passkeys-store.ts';
import type { PeopleStore } from '../people/people-store.ts';
import type { StatusStore } from '../status/status-store.ts';
import type { Actor, StoreCall } from './store-call.ts';
import type { WithdrawalsStore } from '../orders/withdrawals-store.ts';

export type { Actor, AuditKind, RefusalKind, StoreCall };
export { REFUSAL_KINDS };

/** Valid (active or expiring) keys an account may have. */
export const VALID_KEYS_MAX = 10;
/** Months before this one for which it is known what each key used. */
export const KEY_USAGE_MONTHS = 13;
/** Keys in a report of what each used. */
export const KEYS_REPORTED_MAX = 100;
/** How long a key that ended stays in the list: 30 days. */
export const ENDED_KEY_SHOWN_NS = 30n * DAY_NS_BIG;
/** Keys in the list: while there are so many, nobody makes another. */
export const KEYS_LISTED_MAX = 1_000;
/** Keys that an account's own keys may make in 24 hours, by creation and by rotation together. */
export const KEYS_MADE_MAX = 200;
export const KEYS_MADE_NS = DAY_NS_BIG;
/** How long a stream token can be used. */
export const TOKEN_VALID_NS = MINUTE_NS_BIG;

/** The store cannot be asked now; nothing happened that the caller could rely on. */
export class AccountsUnavailableError extends Refusal {
  constructor(message: string, { cause }: ErrorOptions = {}) {
    super({ t: 'accounts-unavailable' }, cause);
    this.message = message;
  }
}

/**
 * What can be wrong with a store as a whole. `damaged` is for good; `full` (no room on disk), `failing`
 * (its disk refuses) and `unreachable` (it is on another machine, which does not answer: whether a call that was under
 * way has done its work is not known) last until a `probe` succeeds; `busy` concerns one call only.
 */
export type StoreTrouble = 'damaged' | 'full' | 'failing' | 'unreachable' | 'busy';

export class AccountsTroubleError extends AccountsUnavailableError {
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.trouble = trouble;
  }
}

export interface AccountRecord {
  readonly id: string;
  /** What operators call it; unique. */
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
  /** The key that took its place. */
  readonly rotatedTo: string | null;
  /** The last four characters of the secret. */
  readonly hint: string;
}

export interface NewKey extends KeyRights {
  readonly name: string;
}

/** What is kept of a secret: SHA-256 in hexadecimal, and its last four characters. */
export interface SecretDigest {
  readonly hash: string;
  readonly hint: string;
}

/** A refusal, as plain data: the doors choose status and words. */
export type Refused =
  | { readonly refused: 'not-found' }
  /** The acting key is itself revoked, expired or unknown by now, or its account is suspended. */
  | { readonly refused: 'actor-ended' }
  /** Recorded in the audit log as `key.management-refused`. */
  | { readonly refused: 'criterion'; readonly criterion: ManagementCriterion }
  | { readonly refused: 'too-many-keys' }
  /** Counted in the audit log as `key.limit-refused`; one more can be made at `until`. */
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

export const BUDGETS = ['computeUnits', 'exportBytes'] as const;
export type Budget = (typeof BUDGETS)[number];

/** The limits are what used and reserved together may reach: of the account, and of its test keys. */
export interface ReserveRequest extends CountedLimit {
  /**
   * Idempotency key: once granted, the same id again is granted and takes nothing, whatever became of
   * the reservation, until a day after its expiry (40 days, if nobody settled or voided it). A refused one
   * leaves nothing and is judged anew.
   * The same id for another account, budget or amount is our own mistake and rejects.
   */
  readonly id: string;
  readonly accountId: string;
  /** The key that uses it. */
  readonly keyId: string;
  readonly budget: Budget;
  readonly amount: number;
  /** `YYYY-MM`, by the time of the reservation; it is settled there whenever that is. */
  readonly period: string;
  /** When an unsettled reservation is given back. */
  readonly expiresAt: EpochNs;
  /** Whether it must outlast the machine; by itself it does. */
  readonly isSynced?: boolean;
}

export type Reservation =
  | { readonly granted: true }
  /** `remaining`: what could have been reserved within both limits, never below 0. */
  | { readonly granted: false; readonly remaining: number };

export interface UsageCounts {
  readonly computeUnits: number;
  readonly historyItems: number;
  readonly exportBytes: number;
  readonly restRequests: number;
}

interface Tally {
  readonly used: UsageCounts;
  /** What running work has reserved beyond what is used. */
  readonly reserved: Readonly<Record<Budget, number>>;
}

export interface MonthUsage extends Tally {
  /** Of all this, what is of test keys. */
  readonly tests: Tally;
}

/** What one key used in a month. */
export interface KeyUsage {
  readonly keyId: string;
  readonly used: UsageCounts;
}

/** What one of an account's keys used in a month, with what is known of it; null: it was the portal's own use. */
export interface NamedKeyUsage extends KeyUsage {
  readonly key: KeyRecord | null;
}

/** What an account used in a month, over all keys. */
export interface PeriodUsage {
  readonly period: string;
  readonly used: UsageCounts;
}

/** What was charged on a day: to a month's last day also what was settled after its end. */
export interface DayUsage {
  readonly day: UtcDay;
  readonly used: Readonly<Record<Budget, number>>;
}

/** Requests of one key in a month. */
export interface RequestCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly isTest: boolean;
  readonly period: string;
  readonly restRequests: number;
}

export interface AuditEvent {
  /** 1, 2, 3 … without gaps that matter: later events have higher numbers. */
  readonly sequence: number;
  readonly at: EpochNs;
  /** How often it happened from `at` to `lastAt`: refusals are counted, all else is 1. */
  readonly count: number;
  readonly lastAt: EpochNs;
  readonly kind: AuditKind;
  readonly accountId: string;
  /** The key it is about, where it is about one; of counted refusals the first. */
  readonly keyId: string | null;
  /** `operator`, `owner`, `billing`, or the acting key's id. */
  readonly actor: string;
  /** Plain facts: the criterion, the plan before and after. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly accountId?: string;
  /** Events with a higher sequence only. */
  readonly after?: number;
  /** Events from this instant on only. */
  readonly since?: EpochNs;
  readonly limit: number;
  /** The newest first instead of the oldest. */
  readonly newestFirst?: boolean;
}

/** Something that rights hang on has changed; who holds a copy must look again. */
export type AccountChange =
  | {
      readonly accountId: string;
      /** The key whose rights changed, where it is one; of a rotation the old one. */
      readonly keyId: string | null;
      readonly kind: AuditKind;
    }
  /** The database is not what it was: of all accounts. */
  | { readonly accountId: null; readonly keyId: null; readonly kind: 'accounts.replaced' };

export interface AccountStore extends AsyncDisposable {
  readonly people: PeopleStore;
  readonly orders: OrdersStore;
  readonly withdrawals: WithdrawalsStore;
  readonly mails: MailsStore;
  readonly status: StatusStore;
  readonly passkeys: PasskeysStore;

  createAccount(
    call: StoreCall,
    account: { readonly name: string; readonly grants: readonly Grant[] },
  ): Promise<AccountRecord | { readonly refused: 'name-taken' }>;
  /** By id or by name. */
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

  /** Also keys that ended, so that the refusal can say why. */
  findKey(hash: string): Promise<KeyWithAccount | null>;
  /**
   * A key of this account; also one that ended. Null, for operators and the service itself: of any account, or a
   * session that goes on, as the key that its tokens are of.
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
  /** Revoking a key that has ended changes nothing and answers its record. */
  revokeKey(call: StoreCall, accountId: string, keyId: string): Promise<KeyRecord | Refused>;
  /** When keys were last used; an earlier time never replaces a later one. */
  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): Promise<void>;

  /** Keeps the digest of a token of this key; false when the key has ended by now. */
  issueToken(
    now: EpochNs,
    token: { readonly hash: string; readonly keyId: string; readonly expiresAt: EpochNs },
  ): Promise<boolean>;
  /** The same of a session: it has the account's right to stream, and ends with the session. */
  issueSessionToken(
    now: EpochNs,
    accountId: string,
    token: { readonly hash: string; readonly sessionId: string; readonly expiresAt: EpochNs },
  ): Promise<boolean>;
  /** Uses the token up. Null when there is none of this digest, or it is too old, or its key has ended. */
  consumeToken(now: EpochNs, hash: string): Promise<KeyWithAccount | null>;

  reserve(now: EpochNs, request: ReserveRequest): Promise<Reservation>;
  /**
   * Charges what was really used and gives the rest back, in the month of the reservation. Also after
   * its expiry, and more than was reserved (a running response is never cut). False when it was settled
   * or voided before, or never made.
   */
  settle(
    now: EpochNs,
    id: string,
    used: { readonly amount: number; readonly historyItems?: number },
  ): Promise<boolean>;
  /** Settles and remembers at once; or does neither and says why, and the reservation stays as it is. */
  settleOnce(
    now: EpochNs,
    id: string,
    used: { readonly amount: number; readonly historyItems?: number },
    done: Done,
  ): Promise<OnceRefused | null>;
  /** What `settleOnce` would refuse by now; null: nothing. */
  findOnce(
    now: EpochNs,
    asked: Pick<Done, 'accountId' | 'keyId' | 'once'>,
  ): Promise<OnceRefused | null>;
  /** Gives everything back. False when it was settled or voided before, or never made. */
  voidReservation(now: EpochNs, id: string): Promise<boolean>;
  /** Adds counts that no budget limits. Those of an account that is not there, since the store went back, count for nobody. */
  addUsage(counts: readonly RequestCount[]): Promise<void>;
  /**
   * Sees what was done through this object; what other processes did shows within a second. What is no promise
   * has all that `addUsage` was called with, stored already or not.
   */
  usageOf(now: EpochNs, accountId: string, period: string): Promise<MonthUsage> | MonthUsage;
  /** Keys that used something in a month, also those that ended; of the last 13 months and this one. */
  usageByKey(accountId: string, period: string): Promise<readonly KeyUsage[]>;
  /** The same with their names, those that used most first, of them 100 at most. */
  usageByNamedKey(accountId: string, period: string): Promise<readonly NamedKeyUsage[]>;
  /** Months from this one on in which something was used, the oldest first. */
  usageMonths(accountId: string, from: string): Promise<readonly PeriodUsage[]>;
  /** Days of a month on which something was charged, the first one first; kept as long as what keys used. */
  usageDays(accountId: string, period: string): Promise<readonly DayUsage[]>;
  /**
   * Housekeeping, about once a minute: gives back what expired reservations of all accounts hold, and
   * removes expired tokens, reservations closed long ago, what keys and days used long ago, what was remembered of
   * requests long enough, owes mails about budgets that are nearly used, and removes events that the audit log had for longer than `auditKeptNs`, if that is given.
   * No answer depends on it. It is many short transactions, so that nobody waits for it; what it does not get
   * to is for the next time.
   */
  sweep(now: EpochNs, auditKeptNs?: bigint): Promise<void>;

  audit(filter: AuditFilter): Promise<readonly AuditEvent[]>;
  /**
   * Hears every change, made here or by another process on the same store (within a second). A change
   * made through this object is heard before its call resolves.
   */
  onChange(listener: (change: AccountChange) => void): Disposable;
  /** Hears, as soon, that another process has written to the same store, whatever that was. */
  onWrittenElsewhere(listener: () => void): Disposable;

  /** Resolves if the store is sound, can be written and hears of changes; changes nothing. */
  probe(): Promise<void>;
  /** Hears of everything that is wrong with the store, with every call that fails by it. */
  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable;
}
