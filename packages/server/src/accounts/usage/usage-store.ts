/** The part of the account store about budgets, reservations and usage; see `account-store.ts`. */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { KeyRecord } from '../keys/keys-store.ts';
import type { Done, OnceRefused } from '../store/once.ts';

/** Months before this one for which it is known what each key used. */
export const KEY_USAGE_MONTHS = 13;
/** Keys in a report of what each used. */
export const KEYS_REPORTED_MAX = 100;

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

export interface UsageStore {
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
}
