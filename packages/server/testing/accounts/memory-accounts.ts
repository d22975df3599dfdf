/** Accounts for tests: the real SQLite store in memory, an operator that fills it, and a count of the calls. */

import { randomBytes } from 'node:crypto';
import { type KeyRights, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { Grant, Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, newKeyText, newTokenText } from '../../src/accounts/auth/secret.ts';
import type { KeyRecord, Rotation } from '../../src/accounts/keys/keys-store.ts';
import type { AccountStore } from '../../src/accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../../src/accounts/store/sqlite/sqlite-account-store.ts';
import type { StoreCall } from '../../src/accounts/store/store-call.ts';
import type { Clock } from '../../src/platform/clock.ts';

const TOKEN_VALID_NS = 60_000_000_000n;

export interface HandedOutKey {
  readonly text: string;
  readonly record: KeyRecord;
}

export class MemoryAccounts implements AsyncDisposable {
  /** The store for the code under test: every call is counted by name. */
  readonly store: AccountStore;
  readonly calls = new Map<string, number>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #store: AccountStore;
  #accounts = 0;

  private constructor(clock: Pick<Clock, 'now'>, store: AccountStore) {
    this.#clock = clock;
    this.#store = store;
    this.store = counting(store, this.calls);
  }

  /** In memory, or in the file of this path. */
  static async open(clock: Pick<Clock, 'now'>, path = ':memory:'): Promise<MemoryAccounts> {
    return new MemoryAccounts(clock, await openSqliteAccountStore(path));
  }

  /** Creates an account with this plan; returns its id. */
  async account(plan: Plan = 'sandbox', until: EpochNs | null = null): Promise<string> {
    this.#accounts += 1;
    const account = { name: `account ${this.#accounts}`, grants: grantsOf(plan, until) };
    return made(await this.#store.createAccount(this.#call(), account)).id;
  }

  async setPlan(accountId: string, plan: Plan): Promise<void> {
    await this.#store.setGrants(this.#call(), accountId, grantsOf(plan, null));
  }

  async suspend(accountId: string, isSuspended = true): Promise<void> {
    await this.#store.setSuspended(this.#call(), accountId, isSuspended);
  }

  /** A live key with all scopes and no restrictions, except for `rights`. */
  async key(accountId: string, rights: Partial<KeyRights> = {}): Promise<HandedOutKey> {
    const key = {
      name: 'a key',
      environment: 'live',
      scopes: SCOPES,
      instruments: null,
      allowedIps: null,
      expiresAt: null,
      ...rights,
    } as const;
    const text = newKeyText(key.environment, randomBytes);
    const record = await this.#store.createKey(this.#call(), accountId, key, digestOf(text));
    return { text, record: made(record) };
  }

  async revoke({ record }: HandedOutKey): Promise<void> {
    made(await this.#store.revokeKey(this.#call(), record.accountId, record.id));
  }

  async rotate({ record }: HandedOutKey, graceSeconds: number): Promise<Rotation> {
    const secret = digestOf(newKeyText(record.environment, randomBytes));
    const { accountId, id } = record;
    return made(await this.#store.rotateKey(this.#call(), accountId, id, graceSeconds, secret));
  }

  /** A stream token of this key, valid for a minute. */
  async token({ record }: HandedOutKey): Promise<string> {
    const text = newTokenText(randomBytes);
    const now = this.#clock.now();
    const expiresAt = (now + TOKEN_VALID_NS) as EpochNs;
    const token = { hash: digestOf(text).hash, keyId: record.id, expiresAt };
    if (!(await this.#store.issueToken(now, token))) throw new Error('the key has ended');
    return text;
  }

  /** How often the store was called from outside, by this name or in total. */
  callCount(name?: string): number {
    if (name !== undefined) return this.calls.get(name) ?? 0;
    return [...this.calls.values()].reduce((sum, count) => sum + count, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  #call(): StoreCall {
    return { now: this.#clock.now(), actor: { kind: 'operator' } };
  }
}

function grantsOf(plan: Plan, until: EpochNs | null): readonly Grant[] {
  if (plan === 'sandbox') return [];
  if (plan === 'live_history') return [...grantsOf('live', until), ...grantsOf('history', until)];
  return [{ plan, until }];
}

function made<Result extends object>(result: Result): Exclude<Result, { refused: unknown }> {
  if ('refused' in result) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result as Exclude<Result, { refused: unknown }>;
}

function counting(store: AccountStore, calls: Map<string, number>): AccountStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
