/**
 * The port that counts what an account holds at a time: connections, subscriptions, custom configurations. Each is a
 * lease that its process renews; the leases of a lost process are free again within 90 s. A lease of a test key counts
 * twice: for the account and for its test keys. A lease is checked against the limit and taken in one step, so parallel
 * callers cannot both pass. Adapters: `memory-leases.ts` and `accounts/shared/postgres-leases.ts`; both run
 * `leases.contract.ts`.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';

export const LEASE_SECONDS = 90;
export const RENEW_EVERY_SECONDS = 30;

export const LEASE_KINDS = ['connection', 'subscription', 'configuration'] as const;
export type LeaseKind = (typeof LEASE_KINDS)[number];

/** A request for one lease; its limits are how many things of this kind the account, and its test keys, may have. */
export interface LeaseRequest extends CountedLimit {
  readonly accountId: string;
  readonly kind: LeaseKind;
  /** The holder, unique for the connection or subscription. Taking it again is granted and counts once. */
  readonly holder: string;
  /** The unit of counting: holders of one thing count once. A connection or subscription is its own thing. */
  readonly thing: string;
}

export type HeldLease = Pick<LeaseRequest, 'accountId' | 'kind' | 'holder'>;

export interface Leases {
  /** False when other things have reached a limit. */
  take(now: EpochNs, request: LeaseRequest): Promise<boolean>;
  /** Releasing a lease that is not held does nothing. */
  release(accountId: string, kind: LeaseKind, holder: string): Promise<void>;
  /** Renews everything this process holds. */
  renew(now: EpochNs): Promise<void>;
  /** How many things an account, or its test keys alone, hold. */
  count(now: EpochNs, accountId: string, kind: LeaseKind, by?: 'all' | 'tests'): Promise<number>;
  /** Reports leases held here that were lost, because others took their slots before they could be renewed. */
  onLost(hear: (lost: HeldLease) => void): Disposable;
  /** Accounts with a lease held here, once for each kind; test keys may count once more. */
  readonly size: number;
}
