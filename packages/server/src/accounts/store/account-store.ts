/**
 * The port of the account store: accounts, keys, stream tokens, budgets and the audit log. Every method but
 * `sweep` is one transaction: when it resolves, what it did is on disk and every later call sees it (but see
 * `usageOf`); when it rejects, nothing happened (but see `unreachable`). Whatever must never be exceeded (ten keys, one use of a
 * token, a budget) is judged by the statement that writes, so that parallel callers cannot pass together.
 *
 * The store has no clock: callers say what time it is. Adapters: SQLite for one machine, PostgreSQL for many; both run
 * `account-store.contract.ts`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { Refusal } from '../../platform/refusal.ts';
import type { KeysStore } from '../keys/keys-store.ts';
import type { MailsStore } from '../mails/mails-store.ts';
import type { OrdersStore } from '../orders/orders-store.ts';
import type { WithdrawalsStore } from '../orders/withdrawals-store.ts';
import type { PasskeysStore } from '../people/passkeys-store.ts';
import type { PeopleStore } from '../people/people-store.ts';
import type { StatusStore } from '../status/status-store.ts';
import type { UsageStore } from '../usage/usage-store.ts';
import type { AuditKind } from './audit-kinds.ts';

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

export interface AccountStore extends KeysStore, UsageStore, AsyncDisposable {
  readonly people: PeopleStore;
  readonly orders: OrdersStore;
  readonly withdrawals: WithdrawalsStore;
  readonly mails: MailsStore;
  readonly status: StatusStore;
  readonly passkeys: PasskeysStore;

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
