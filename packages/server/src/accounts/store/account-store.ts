/**
 * The port of the account store. Every method but `sweep` is one transaction. When it resolves, its effect is on disk
 * and visible to every later call (exception: `usageOf`). When it rejects, nothing happened (exception: `unreachable`).
 * Limits that must never be exceeded (ten keys, one use of a token, a budget) are checked by the statement that writes,
 * so parallel callers cannot both pass. The store has no clock: callers pass the time. Adapters: SQLite for one
 * machine, PostgreSQL for many; both run `account-store.contract.ts`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { Refusal } from '../../platform/refusal.ts';
import type { KeysStore } from '../keys/keys-store.ts';
import type { LayoutsStore } from '../layouts/layouts-store.ts';
import type { MailsStore } from '../mails/mails-store.ts';
import type { OrdersStore } from '../orders/orders-store.ts';
import type { WithdrawalsStore } from '../orders/withdrawals-store.ts';
import type { PasskeysStore } from '../people/passkeys-store.ts';
import type { PeopleStore } from '../people/people-store.ts';
import type { StatusStore } from '../status/status-store.ts';
import type { UsageStore } from '../usage/usage-store.ts';
import type { AuditKind } from './audit-kinds.ts';

/** The store is unavailable. Nothing happened that the caller could rely on. */
export class AccountsUnavailableError extends Refusal {
  constructor(message: string, { cause }: ErrorOptions = {}) {
    super({ t: 'accounts-unavailable' }, cause);
    this.message = message;
  }
}

/**
 * What can be wrong with the store as a whole. `damaged` is permanent. `full` (no space on disk), `failing` (disk
 * errors) and `unreachable` (a remote store does not respond; the outcome of running calls is unknown) last until a
 * `probe` succeeds. `busy` concerns one call only.
 */
export type StoreTrouble = 'damaged' | 'full' | 'failing' | 'unreachable' | 'busy';

export class AccountsTroubleError extends AccountsUnavailableError {
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.trouble = trouble;
  }
}

export interface AuditEvent {
  /** Later events have higher numbers; a gap has no meaning. */
  readonly sequence: number;
  readonly at: EpochNs;
  /** How often it happened from `at` to `lastAt`. Only refusals are counted; all other events have 1. */
  readonly count: number;
  readonly lastAt: EpochNs;
  readonly kind: AuditKind;
  readonly accountId: string;
  /** The key that the event concerns, if any; for counted refusals the first one. */
  readonly keyId: string | null;
  /** `operator`, `owner`, `billing`, or the acting key's id. */
  readonly actor: string;
  /** Plain facts: the criterion, the plan before and after. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly accountId?: string;
  /** Only events with a higher sequence. */
  readonly after?: number;
  /** Only events from this instant on. */
  readonly since?: EpochNs;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

/** A change that may alter rights; holders of a copy must read it again. */
export type AccountChange =
  | {
      readonly accountId: string;
      /** The key whose rights changed, if it is one; for a rotation the old key. */
      readonly keyId: string | null;
      readonly kind: AuditKind;
    }
  /** The database was replaced: this concerns all accounts. */
  | { readonly accountId: null; readonly keyId: null; readonly kind: 'accounts.replaced' };

export interface AccountStore extends KeysStore, UsageStore, AsyncDisposable {
  readonly people: PeopleStore;
  readonly orders: OrdersStore;
  readonly withdrawals: WithdrawalsStore;
  readonly mails: MailsStore;
  readonly status: StatusStore;
  readonly passkeys: PasskeysStore;
  readonly layouts: LayoutsStore;

  /**
   * Housekeeping, about once a minute. It releases expired reservations and owes mails for nearly used budgets. It
   * removes expired tokens and idempotency records, reservations closed long ago, old usage by key and day, and layouts
   * deleted long ago. If `auditKeptNs` is given, it removes older audit events. No result depends on it. It runs as many short transactions,
   * so other calls do not wait; work that does not fit is left for the next run.
   */
  sweep(now: EpochNs, auditKeptNs?: bigint): Promise<void>;

  audit(filter: AuditFilter): Promise<readonly AuditEvent[]>;
  /**
   * Reports every change, made here or, within a second, by another process on the same store. A change made through
   * this object is reported before its call resolves.
   */
  onChange(listener: (change: AccountChange) => void): Disposable;
  /** Reports, within the same time, any write of another process to the same store. */
  onWrittenElsewhere(listener: () => void): Disposable;

  /** Resolves if the store is sound, writable and receives changes; it changes nothing. */
  probe(): Promise<void>;
  /** Reports every trouble of the store, with every call that fails because of it. */
  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable;
}
