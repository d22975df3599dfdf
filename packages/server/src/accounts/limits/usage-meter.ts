/**
 * Counts requests by key and month, and notes when keys were last used and which accounts streamed, without a disk
 * write per request. The counts go to the store once a second and at disposal; counts that the store did not take are
 * offered again. A crash loses the counts of its last second.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../auth/caller.ts';
import type { PeopleStore } from '../people/people-store.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { MonthUsage, RequestCount } from '../usage/usage-store.ts';

const FLUSH_EVERY_MS = 1_000;
/** Accounts whose streaming is known to be stored; beyond this it is written again. */
const STREAMED_KNOWN_MAX = 100_000;

interface KeyCount extends Omit<RequestCount, 'restRequests'> {
  restRequests: number;
  usedAt: EpochNs;
}
/** By account: a few keys, in one month or two. */
type Counts = Map<string, KeyCount[]>;
type Counted = Pick<Caller, 'accountId' | 'keyId'> & {
  readonly entitlements: Pick<Caller['entitlements'], 'isTest'>;
};

export interface UsageMeterOptions {
  readonly store: Pick<AccountStore, 'addUsage' | 'touchKeys' | 'usageOf'> & {
    readonly people: Pick<PeopleStore, 'markStreamed'>;
  };
  /** The accounts' clock. */
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export class UsageMeter implements AsyncDisposable {
  readonly #options: UsageMeterOptions;
  readonly #flushTimer: Disposable;
  #counted: Counts = new Map();
  /** Keys used in this minute, and whether the store has that. */
  readonly #usedKeys = new Map<string, { readonly at: EpochNs; isStored: boolean }>();
  /** Accounts that have streamed: those still to be stored, and those already stored. */
  #streamed = new Set<string>();
  readonly #streamedStored = new Set<string>();
  #flushing: Promise<void> | null = null;
  #flushCount = 0;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
    this.#flushTimer = options.clock.every(FLUSH_EVERY_MS, () => void this.flush());
  }

  /** Keys with counted requests that are not stored yet. */
  get size(): number {
    let size = 0;
    for (const counts of this.#counted.values()) {
      size += new Set(counts.map(({ keyId }) => keyId)).size;
    }
    return size;
  }

  countRequest({ accountId, keyId, entitlements: { isTest } }: Counted): void {
    const usedAt = this.#options.clock.now();
    const period = periodOf(usedAt);
    const count = countOf(this.#counted, { accountId, keyId, isTest, period });
    count.restRequests += 1;
    count.usedAt = usedAt;
  }

  noteKeyUse(keyId: string, usedAt: EpochNs = this.#options.clock.now()): void {
    const at = (usedAt - (usedAt % MINUTE_NS_BIG)) as EpochNs;
    const noted = this.#usedKeys.get(keyId);
    if (noted === undefined || noted.at < at) this.#usedKeys.set(keyId, { at, isStored: false });
  }

  noteStreamed(accountId: string): void {
    if (!this.#streamedStored.has(accountId)) this.#streamed.add(accountId);
  }

  /** An account's usage including counts that have not reached the store. */
  usageOf(now: EpochNs, accountId: string, period: string): Promise<MonthUsage> | MonthUsage {
    const flushing = this.#flushing;
    const flushCount = this.#flushCount;
    const usage = this.#options.store.usageOf(now, accountId, period);
    // A cached report includes all that the store was ever handed.
    if (!(usage instanceof Promise)) return this.#withCounted(usage, accountId, period);
    return usage.then(async (answer) => {
      await flushing;
      // If a flush ran during the read, it is unknown whether the response includes its counts.
      const hasMetFlush = flushing !== null || flushCount !== this.#flushCount;
      if (hasMetFlush) return await this.usageOf(now, accountId, period);
      return this.#withCounted(answer, accountId, period);
    });
  }

  /** Resolves when all counts from before the call are stored, or were kept after a failure. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#flushing !== null || !this.#hasNews()) return;
    this.#flushCount += 1;
    this.#flushing = Promise.all([this.#storeCounts(), this.#storeKeyUse(), this.#storeStreamed()])
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

  #withCounted(usage: MonthUsage, accountId: string, period: string): MonthUsage {
    const counted = this.#counted.get(accountId);
    return counted === undefined ? usage : withRequests(usage, counted, period);
  }

  #hasNews(): boolean {
    if (this.#counted.size + this.#streamed.size > 0) return true;
    for (const { isStored } of this.#usedKeys.values()) if (!isStored) return true;
    return false;
  }

  async #storeCounts(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    const rows = [...counted.values()].flat();
    if (rows.length === 0) return;
    for (const { keyId, usedAt } of rows) this.noteKeyUse(keyId, usedAt);
    try {
      await this.#options.store.addUsage(rows.map(requestCount));
    } catch (error) {
      for (const row of rows) {
        const count = countOf(this.#counted, row);
        count.restRequests += row.restRequests;
        if (count.usedAt < row.usedAt) count.usedAt = row.usedAt;
      }
      this.#options.onFault(error);
    }
  }

  async #storeStreamed(): Promise<void> {
    const streamed = this.#streamed;
    if (streamed.size === 0) return;
    this.#streamed = new Set();
    try {
      await this.#options.store.people.markStreamed(this.#options.clock.now(), [...streamed]);
      if (this.#streamedStored.size >= STREAMED_KNOWN_MAX) this.#streamedStored.clear();
      for (const accountId of streamed) this.#streamedStored.add(accountId);
    } catch (error) {
      this.#streamed = this.#streamed.union(streamed);
      this.#options.onFault(error);
    }
  }

  async #storeKeyUse(): Promise<void> {
    const now = this.#options.clock.now();
    const news = [...this.#usedKeys].filter(([, noted]) => !noted.isStored);
    for (const [keyId, noted] of this.#usedKeys) {
      if (noted.isStored && noted.at + MINUTE_NS_BIG <= now) this.#usedKeys.delete(keyId);
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

/** Field by field: leaving one out by a rest pattern is many times slower. */
function requestCount({ accountId, keyId, isTest, period, restRequests }: KeyCount): RequestCount {
  return { accountId, keyId, isTest, period, restRequests };
}

function countOf(
  counts: Counts,
  { accountId, keyId, isTest, period }: Omit<RequestCount, 'restRequests'>,
): KeyCount {
  const ofAccount = counts.getOrInsertComputed(accountId, () => []);
  for (const count of ofAccount) {
    if (count.keyId === keyId && count.period === period) return count;
  }
  const usedAt = 0n as EpochNs;
  const made: KeyCount = { accountId, keyId, isTest, period, restRequests: 0, usedAt };
  ofAccount.push(made);
  return made;
}

/** The report plus those of these requests that belong to its month. */
export function withRequests(
  usage: MonthUsage,
  counted: readonly RequestCount[],
  period: string,
): MonthUsage {
  const { used, tests } = usage;
  let all = 0;
  let byTests = 0;
  for (const count of counted) {
    if (count.period !== period) continue;
    all += count.restRequests;
    if (count.isTest) byTests += count.restRequests;
  }
  return {
    ...usage,
    used: { ...used, restRequests: used.restRequests + all },
    tests: { ...tests, used: { ...tests.used, restRequests: tests.used.restRequests + byTests } },
  };
}
