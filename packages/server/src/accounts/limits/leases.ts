/**
 * The port of what an account may have at a time: connections, subscriptions, custom configurations.
 * Each is held by a lease that its process renews; a process that is lost stops renewing, and within 90 s
 * what it held is free again. What a test key takes counts twice: with all of the account, and with what
 * test keys have. Limits are judged and taken in one step, so parallel takers cannot pass together.
 * Adapters: memory here (a process that starts holds nothing), and what nodes of a cluster share
 * (`accounts/shared/postgres-leases.ts`); both run `leases.contract.ts`.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';

export const LEASE_SECONDS = 90;
export const RENEW_EVERY_SECONDS = 30;

export const LEASE_KINDS = ['connection', 'subscription', 'configuration'] as const;
export type LeaseKind = (typeof LEASE_KINDS)[number];

/** How many things of this kind the account may have, and its test keys. */
export interface LeaseRequest extends CountedLimit {
  readonly accountId: string;
  readonly kind: LeaseKind;
  /** Who holds it: unique for the connection or subscription. Taking it again is granted and counts once. */
  readonly holder: string;
  /** What is counted: holders of one thing count once. A connection or subscription is its own thing. */
  readonly thing: string;
}

/** Something that is held. */
export type HeldLease = Pick<LeaseRequest, 'accountId' | 'kind' | 'holder'>;

export interface Leases {
  /** False when a limit is reached by other things. */
  take(now: EpochNs, request: LeaseRequest): Promise<boolean>;
  /** Releasing what is not held does nothing. */
  release(accountId: string, kind: LeaseKind, holder: string): Promise<void>;
  /** Renews everything this process holds. */
  renew(now: EpochNs): Promise<void>;
  /** How many things an account holds, or its test keys alone. */
  count(now: EpochNs, accountId: string, kind: LeaseKind, by?: 'all' | 'tests'): Promise<number>;
  /** Hears of what was held here and is lost, because others had taken its place before it could be renewed. */
  onLost(hear: (lost: HeldLease) => void): Disposable;
  /** Accounts for which something is held here, once for each kind of it; test keys may count once more. */
  readonly size: number;
}
