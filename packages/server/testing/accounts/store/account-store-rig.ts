/**
 * Two handles on one account store: changes through `store` are visible through `other`, in another thread or process.
 * Tests share the store, each with its own accounts and time; names and secrets never repeat.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type {
  AccountRecord,
  KeyRecord,
  NewKey,
  SecretDigest,
} from '../../../src/accounts/keys/keys-store.ts';
import type { AccountStore } from '../../../src/accounts/store/account-store.ts';
import type { StoreCall } from '../../../src/accounts/store/store-call.ts';
import type { MonthUsage, ReserveRequest } from '../../../src/accounts/usage/usage-store.ts';

export interface StorePair extends AsyncDisposable {
  readonly store: AccountStore;
  readonly other: AccountStore;
}

export const SECOND_NS = 1_000_000_000n;
export const DAY_NS = 86_400n * SECOND_NS;
/** Not whole in any unit, and beyond a double's precision: the last digit must survive. */
export const START = 1_790_000_000_123_456_789n as EpochNs;

export const ALL_RIGHTS: NewKey = {
  name: 'a key',
  environment: 'live',
  scopes: ['stream', 'history', 'export', 'keys'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};

let made = 0;

export class StoreRig {
  readonly store: AccountStore;
  readonly other: AccountStore;
  now = START;

  constructor({ store, other }: Pick<StorePair, 'store' | 'other'>) {
    this.store = store;
    this.other = other;
  }

  get operator(): StoreCall {
    return { now: this.now, actor: { kind: 'operator' } };
  }

  by(key: KeyRecord): StoreCall {
    return { now: this.now, actor: { kind: 'key', keyId: key.id } };
  }

  later(ns: bigint): EpochNs {
    return (this.now + ns) as EpochNs;
  }

  pass(ns: bigint): void {
    this.now = this.later(ns);
  }

  /** Alternates between the two handles. */
  either(choice: number): AccountStore {
    return choice % 2 === 0 ? this.store : this.other;
  }

  unique(what: string): string {
    made += 1;
    return `${what} ${made}`;
  }

  secret(): SecretDigest {
    const hash = createHash('sha256').update(this.unique('secret')).digest('hex');
    return { hash, hint: hash.slice(-4) };
  }

  async account(grants: readonly Grant[] = []): Promise<AccountRecord> {
    const wanted = { name: this.unique('account'), grants };
    const account = await this.store.createAccount(this.operator, wanted);
    return 'refused' in account ? assert.fail(account.refused) : account;
  }

  async key(accountId: string, rights: Partial<NewKey> = {}): Promise<KeyRecord> {
    const wanted = { ...ALL_RIGHTS, ...rights };
    const key = await this.store.createKey(this.operator, accountId, wanted, this.secret());
    return 'refused' in key ? assert.fail(key.refused) : key;
  }

  async listed(key: KeyRecord): Promise<KeyRecord | undefined> {
    const keys = await this.store.listKeys(this.now, key.accountId);
    return keys.find(({ id }) => id === key.id);
  }

  request(accountId: string, more: Partial<ReserveRequest> = {}): ReserveRequest {
    return {
      id: this.unique('reservation'),
      accountId,
      keyId: `key of ${accountId}`,
      budget: 'computeUnits',
      amount: 10,
      limit: 100,
      testLimit: null,
      period: '2026-09',
      expiresAt: this.later(60n * SECOND_NS),
      ...more,
    };
  }
}

type Tally = MonthUsage['tests'];
type PartialTally = { readonly [Part in keyof Tally]?: Partial<Tally[Part]> };

/** Missing amounts are 0. */
export function tally({ used = {}, reserved = {} }: PartialTally): Tally {
  return {
    used: { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0, ...used },
    reserved: { computeUnits: 0, exportBytes: 0, ...reserved },
  };
}

export function usage(
  used: Partial<Tally['used']>,
  reserved: Partial<Tally['reserved']> = {},
  tests: PartialTally = {},
): MonthUsage {
  return { ...tally({ used, reserved }), tests: tally(tests) };
}
