/**
 * Counts requests by key and month, and notes when keys were last used, without a disk write per
 * request: what was counted goes to the store once a second and when the meter is disposed of. What the
 * store did not take is kept and offered again. A crash loses what was counted in its last second.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../auth/caller.ts';
import type { AccountStore, MonthUsage, RequestCount } from '../store/account-store.ts';

const FLUSH_EVERY_MS = 1_000;
const MINUTE_NS = 60_000_000_000n;

/** Requests by month, account and key. */
type Counts = Map<string, Map<string, Map<string, RequestCount>>>;
type Counted = Pick<Caller, 'accountId' | 'keyId'> & {
  readonly entitlements: Pick<Caller['entitlements'], 'isTest'>;
};

export interface UsageMeterOptions {
  readonly store: Pick<AccountStore, 'addUsage' | 'touchKeys' | 'usageOf'>;
  /** The accounts' time. */
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export class UsageMeter implements AsyncDisposable {
  readonly #options: UsageMeterOptions;
  readonly #flushTimer: Disposable;
  #counted: Counts = new Map();
  /** Keys used in this minute, whether the store knows it already. */
  readonly #usedKeys = new Map<string, { readonly at: EpochNs; isStored: boolean }>();
  #flushing: Promise<void> | null = null;
  #flushCount = 0;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.#flushTimer = options.clock.every(FLUSH_EVERY_MS, () => void this.flush());
  }

  /** Keys whose requests are counted and not stored yet. */
  get size(): number {
    let size = 0;
    for (const accounts of this.#counted.values()) {
      for (const keys of accounts.values()) size += keys.size;
    }
    return size;
  }

  countRequest({ accountId, keyId, entitlements: { isTest } }: Counted): void {
    const period = periodOf(this.#options.clock.now());
    add(this.#counted, { accountId, keyId, isTest, period, restRequests: 1 });
    this.noteKeyUse(keyId);
  }

  noteKeyUse(keyId: string): void {
    const now = this.#options.clock.now();
    const at = (now - (now % MINUTE_NS)) as EpochNs;
    const noted = this.#usedKeys.get(keyId);
    if (noted === undefined || noted.at < at) this.#usedKeys.set(keyId, { at, isStored: false });
  }

  /** An account's usage with everything counted so far, also what has not reached the store. */
  async usageOf(now: EpochNs, accountId: string, period: string): Promise<MonthUsage> {
    for (;;) {
      // While a flush is under way nobody can tell whether the store has its counts already.
      await this.#flushing;
      const flushCount = this.#flushCount;
      const usage = await this.#options.store.usageOf(now, accountId, period);
      if (flushCount !== this.#flushCount) continue;
      const counted = this.#counted.get(period)?.get(accountId);
      return counted === undefined ? usage : withRequests(usage, [...counted.values()]);
    }
  }

  /** Resolves when all that was counted before the call is in the store, or was kept after a failure. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#flushing !== null || !this.#hasNews()) return;
    this.#flushCount += 1;
    this.#flushing = Promise.all([this.#storeCounts(), this.#storeKeyUse()])
      .then(() => {})
      .finally(() => {
        this.#flushing = null;
      });
    await this.#flushing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flushTimer[Symbol.dispose]();
    await this.#flushing;
    await this.flush();
  }

  #hasNews(): boolean {
    if (this.#counted.size > 0) return true;
    for (const { isStored } of this.#usedKeys.values()) if (!isStored) return true;
    return false;
  }

  async #storeCounts(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    const rows = [...counted.values()].flatMap((accounts) =>
      [...accounts.values()].flatMap((keys) => [...keys.values()]),
    );
    if (rows.length === 0) return;
    try {
      await this.#options.store.addUsage(rows);
    } catch (error) {
      for (const row of rows) add(this.#counted, row);
      this.#options.onFault(error);
    }
  }

  async #storeKeyUse(): Promise<void> {
    const now = this.#options.clock.now();
    const news = [...this.#usedKeys].filter(([, noted]) => !noted.isStored);
    for (const [keyId, noted] of this.#usedKeys) {
      if (noted.isStored && noted.at + MINUTE_NS <= now) this.#usedKeys.delete(keyId);
    }
    if (news.length === 0) return;
    try {
      await this.#options.store.touchKeys(new Map(news.map(([keyId, { at }]) => [keyId, at])));
      for (const [, noted] of news) noted.isStored = true;
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}

function add(counts: Counts, { restRequests, ...whose }: RequestCount): void {
  const { period, accountId, keyId } = whose;
  const keys = counts
    .getOrInsertComputed(period, () => new Map<string, Map<string, RequestCount>>())
    .getOrInsertComputed(accountId, () => new Map<string, RequestCount>());
  const before = keys.get(keyId)?.restRequests ?? 0;
  keys.set(keyId, { ...whose, restRequests: before + restRequests });
}

function withRequests(usage: MonthUsage, counted: readonly RequestCount[]): MonthUsage {
  const { used, tests } = usage;
  const sum = (of: readonly RequestCount[]) =>
    of.reduce((total, { restRequests }) => total + restRequests, 0);
  const byTests = sum(counted.filter(({ isTest }) => isTest));
  return {
    ...usage,
    used: { ...used, restRequests: used.restRequests + sum(counted) },
    tests: { ...tests, used: { ...tests.used, restRequests: tests.used.restRequests + byTests } },
  };
}
