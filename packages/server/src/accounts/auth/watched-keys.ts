/**
 * Watched keys, such as those of open connections, and the changes announced for them. A key is announced as ended when
 * it is revoked or expires. An account is announced as changed when its plan or suspension differs from what was
 * announced or what a new watcher knew, also when a grant merely expired. After a change the account is read until that
 * succeeds, so a failing store keeps no connection alive for ever.
 */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import type { Clock } from '../../platform/clock.ts';
import type { AccountRecord, KeyRecord, KeyWithAccount } from '../keys/keys-store.ts';
import type { AccountChange, AccountStore } from '../store/account-store.ts';
import type { RightsChange } from './authenticator.ts';

const LOOK_EVERY_MS = 1_000;

interface WatchedAccount {
  record: AccountRecord;
  readonly keys: Set<WatchedKey>;
  /** As last announced, or as read at first. */
  plan: Plan;
  isSuspended: boolean;
  /** A new watcher knew other rights than those announced: announce again once all is read. */
  isUnsure: boolean;
  /** How many changes there were, and how many of them the records include. */
  changes: number;
  changesRead: number;
  reading: Promise<void> | null;
}

interface WatchedKey {
  record: KeyRecord;
  readonly account: WatchedAccount;
  watchers: number;
  hasEnded: boolean;
}

export interface WatchedKeysOptions {
  readonly store: Pick<AccountStore, 'findKeyById'>;
  readonly clock: Clock;
  readonly announce: (change: RightsChange) => void;
  readonly onFault: (error: unknown) => void;
}

export class WatchedKeys implements Disposable {
  readonly #options: WatchedKeysOptions;
  readonly #accounts = new Map<string, WatchedAccount>();
  readonly #keys = new Map<string, WatchedKey>();
  readonly #looking: Disposable;

  constructor(options: WatchedKeysOptions) {
    this.#options = options;
    this.#looking = options.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  get size(): number {
    return this.#keys.size;
  }

  /** `isFresh`: nothing has changed since `found` was read. */
  add(found: KeyWithAccount, isFresh: boolean): Disposable {
    const watched = this.#keys.get(found.key.id) ?? this.#watchKey(found);
    watched.watchers += 1;
    if (!isFresh || watched.hasEnded) {
      // The new watcher did not receive an end that was announced to others.
      watched.hasEnded = false;
      const { plan, isSuspended } = this.#rightsOf(found.account);
      const { account } = watched;
      if (plan !== account.plan || isSuspended !== account.isSuspended) account.isUnsure = true;
      this.#readSoon(account);
    }
    return new Watching(this, watched);
  }

  leave(watched: WatchedKey): void {
    watched.watchers -= 1;
    if (watched.watchers > 0) return;
    const { account, record } = watched;
    account.keys.delete(watched);
    this.#keys.delete(record.id);
    if (account.keys.size === 0) this.#accounts.delete(account.record.id);
  }

  /** The key after all changes so far have been read; null when it has ended or is not watched. */
  async current(keyId: string): Promise<KeyWithAccount | null> {
    const watched = this.#keys.get(keyId);
    if (watched === undefined) return null;
    await watched.account.reading;
    return watched.hasEnded ? null : { key: watched.record, account: watched.account.record };
  }

  changed({ accountId, keyId, kind }: AccountChange): void {
    if (accountId === null) {
      for (const account of this.#accounts.values()) this.#readSoon(account);
      return;
    }
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    const concerned = keyId === null ? undefined : this.#keys.get(keyId);
    // This end is known without a read, so it is announced at once.
    const isEnd = kind === 'key.revoked' || kind === 'session.ended';
    if (isEnd && concerned !== undefined) this.#end(concerned);
    this.#readSoon(account);
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
    this.#accounts.clear();
    this.#keys.clear();
  }

  #watchKey({ key, account }: KeyWithAccount): WatchedKey {
    const owner = this.#accounts.get(account.id) ?? this.#watchAccount(account);
    const watched = { record: key, account: owner, watchers: 0, hasEnded: false };
    owner.keys.add(watched);
    this.#keys.set(key.id, watched);
    return watched;
  }

  #watchAccount(record: AccountRecord): WatchedAccount {
    const account: WatchedAccount = {
      record,
      keys: new Set(),
      ...this.#rightsOf(record),
      isUnsure: false,
      changes: 0,
      changesRead: 0,
      reading: null,
    };
    this.#accounts.set(record.id, account);
    return account;
  }

  #readSoon(account: WatchedAccount): void {
    account.changes += 1;
    this.#read(account);
  }

  /** Reads until the records include every change; a failure is retried at the next look. */
  #read(account: WatchedAccount): void {
    account.reading ??= this.#readAll(account)
      .catch(this.#options.onFault)
      .finally(() => {
        account.reading = null;
      });
  }

  async #readAll(account: WatchedAccount): Promise<void> {
    while (account.changesRead < account.changes && account.keys.size > 0) {
      const { changes } = account;
      await this.#readOnce(account);
      account.changesRead = changes;
      this.#judge(account);
    }
  }

  async #readOnce(account: WatchedAccount): Promise<void> {
    const watched = [...account.keys];
    const found = await Promise.all(
      // Read in the service's own name: an account with many requests must not delay its own end.
      watched.map(({ record }) => this.#options.store.findKeyById(null, record.id)),
    );
    for (const [index, one] of watched.entries()) {
      const current = found[index] ?? null;
      if (current === null) {
        this.#end(one);
      } else {
        one.record = current.key;
        account.record = current.account;
      }
    }
  }

  #look(): void {
    for (const account of this.#accounts.values()) {
      if (account.changesRead < account.changes) this.#read(account);
      this.#judge(account);
    }
  }

  /** Announces what the records and the clock show and has not been announced. */
  #judge(account: WatchedAccount): void {
    const now = this.#options.clock.now();
    for (const watched of account.keys) {
      const state = keyStateAt(watched.record, now);
      if (state === 'revoked' || state === 'expired') this.#end(watched);
    }
    const { plan, isSuspended } = this.#rightsOf(account.record);
    const isOwed = account.isUnsure && account.changesRead === account.changes;
    if (plan === account.plan && isSuspended === account.isSuspended && !isOwed) return;
    account.plan = plan;
    account.isSuspended = isSuspended;
    if (isOwed) account.isUnsure = false;
    this.#options.announce({ t: 'account-changed', accountId: account.record.id });
  }

  #rightsOf({ grants, suspendedAt }: AccountRecord): Pick<WatchedAccount, 'plan' | 'isSuspended'> {
    return { plan: planAt(grants, this.#options.clock.now()), isSuspended: suspendedAt !== null };
  }

  #end(watched: WatchedKey): void {
    if (watched.hasEnded) return;
    watched.hasEnded = true;
    this.#options.announce({ t: 'key-ended', keyId: watched.record.id });
  }
}

/** Every connection has one, so it is as small as possible. */
class Watching implements Disposable {
  readonly #keys: WatchedKeys;
  #watched: WatchedKey | null;

  constructor(keys: WatchedKeys, watched: WatchedKey) {
    this.#keys = keys;
    this.#watched = watched;
  }

  [Symbol.dispose](): void {
    if (this.#watched !== null) this.#keys.leave(this.#watched);
    this.#watched = null;
  }
}
