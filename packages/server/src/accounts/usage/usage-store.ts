/** The part of the account store about budgets, reservations and usage; see `account-store.ts`. */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { KeyRecord } from '../keys/keys-store.ts';
import type { Done, OnceRefused } from '../store/once.ts';

/** Months before this one with usage by key. */
export const KEY_USAGE_MONTHS = 13;
/** Keys in a report of usage by key. */
export const KEYS_REPORTED_MAX = 100;

export const BUDGETS = ['computeUnits', 'exportBytes'] as const;
export type Budget = (typeof BUDGETS)[number];

/** Used and reserved amounts together may reach the limits: of the account, and of its test keys. */
export interface ReserveRequest extends CountedLimit {
  /**
   * Idempotency key. Once granted, the same id is granted again and takes nothing, until a day after its expiry (40
   * days if it was never settled or voided). A rejected one leaves nothing and is judged again. The same id for another
   * account, budget or amount is our own fault and rejects.
   */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly budget: Budget;
  readonly amount: number;
  /** `YYYY-MM`, the month of the reservation; it is settled in this month, whenever that is. */
  readonly period: string;
  /** When an unsettled reservation is released. */
  readonly expiresAt: EpochNs;
  /** Whether it must survive a crash of the machine; true by default. */
  readonly isSynced?: boolean;
}

export type Reservation =
  | { readonly granted: true }
  /** `remaining`: the amount that both limits leave, never below 0. */
  | { readonly granted: false; readonly remaining: number };

export interface UsageCounts {
  readonly computeUnits: number;
  readonly historyItems: number;
  readonly exportBytes: number;
  readonly restRequests: number;
}

interface Tally {
  readonly used: UsageCounts;
  /** Reserved by running work, in addition to what is used. */
  readonly reserved: Readonly<Record<Budget, number>>;
}

export interface MonthUsage extends Tally {
  /** The part of test keys. */
  readonly tests: Tally;
}

export interface KeyUsage {
  readonly keyId: string;
  readonly used: UsageCounts;
}

/** Usage of a key with its record; null: the portal's own usage. */
export interface NamedKeyUsage extends KeyUsage {
  readonly key: KeyRecord | null;
}

export interface PeriodUsage {
  readonly period: string;
  readonly used: UsageCounts;
}

/** Charges of a day; a month's last day includes amounts settled after its end. */
export interface DayUsage {
  readonly day: UtcDay;
  readonly used: Readonly<Record<Budget, number>>;
}

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
   * Charges the real amount and releases the rest, in the reservation's month. It may come after the expiry, and exceed
   * the reservation (a running response is never cut). False when it was closed before, or never made.
   */
  settle(
    now: EpochNs,
    id: string,
    used: { readonly amount: number; readonly historyItems?: number },
  ): Promise<boolean>;
  /** Settles and records the result together, or does neither and returns why; the reservation then stays as it is. */
  settleOnce(
    now: EpochNs,
    id: string,
    used: { readonly amount: number; readonly historyItems?: number },
    done: Done,
  ): Promise<OnceRefused | null>;
  /** Why `settleOnce` would reject now; null: it would not. */
  findOnce(
    now: EpochNs,
    asked: Pick<Done, 'accountId' | 'keyId' | 'once'>,
  ): Promise<OnceRefused | null>;
  /** Releases the whole amount. False when it was settled or voided before, or never made. */
  voidReservation(now: EpochNs, id: string): Promise<boolean>;
  /** Adds counts that no budget limits. Counts of an account that is missing in a restored store are dropped. */
  addUsage(counts: readonly RequestCount[]): Promise<void>;
  /**
   * Includes all that was done through this object; changes of other processes appear within a second. If the result is
   * no promise, it includes all counts passed to `addUsage`, stored or not.
   */
  usageOf(now: EpochNs, accountId: string, period: string): Promise<MonthUsage> | MonthUsage;
  /** Keys with usage in a month, ended ones too; for this month and the 13 before. */
  usageByKey(accountId: string, period: string): Promise<readonly KeyUsage[]>;
  /** The same with their records, the most used first, 100 at most. */
  usageByNamedKey(accountId: string, period: string): Promise<readonly NamedKeyUsage[]>;
  /** Months with usage from this one on, oldest first. */
  usageMonths(accountId: string, from: string): Promise<readonly PeriodUsage[]>;
  /** Days of a month with charges, in order; kept as long as usage by key. */
  usageDays(accountId: string, period: string): Promise<readonly DayUsage[]>;
}
