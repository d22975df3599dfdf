/**
 * Caches usage reports while they cannot have changed: customers poll them, and each read is a trip to the store's
 * thread. Work that may change usage is announced here: it empties the cache, and nothing is cached until it is done.
 * Counted requests are added to the cached reports instead. A write of another process empties the cache too. A report
 * with a reservation is not cached, since reservations expire by themselves; nothing else in it depends on time.
 */

import type { MonthUsage, RequestCount } from '../usage/usage-store.ts';
import { withRequests } from './usage-meter.ts';

const REPORTS_MAX = 10_000;

interface Report {
  readonly usage: MonthUsage;
  readonly period: string;
}

export class RememberedUsage {
  /** By account: the report of the last requested month. */
  readonly #reports = new Map<string, Report>();
  #changesUnderWay = 0;
  /** Grows when a change begins and when it ends. */
  #changes = 0;

  get size(): number {
    return this.#reports.size;
  }

  /** Returns no promise if the report is cached. */
  read(
    accountId: string,
    period: string,
    ask: () => Promise<MonthUsage>,
  ): Promise<MonthUsage> | MonthUsage {
    const known = this.#reports.get(accountId);
    return known?.period === period ? known.usage : this.#ask(accountId, period, ask);
  }

  async #ask(
    accountId: string,
    period: string,
    ask: () => Promise<MonthUsage>,
  ): Promise<MonthUsage> {
    const changes = this.#changes;
    const usage = await ask();
    if (this.#changesUnderWay === 0 && changes === this.#changes && isSettled(usage)) {
      if (this.#reports.size >= REPORTS_MAX) this.#reports.clear();
      this.#reports.set(accountId, { usage, period });
    }
    return usage;
  }

  /** Runs work that may change usage. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#changesUnderWay += 1;
    this.forget();
    try {
      return await work();
    } finally {
      this.#changesUnderWay -= 1;
      this.forget();
    }
  }

  /**
   * Runs `add`, which adds these requests and nothing else. Cached reports include them from the start. If it fails,
   * the outcome is unknown and all is forgotten.
   */
  async count(rows: readonly RequestCount[], add: () => Promise<void>): Promise<void> {
    this.#changesUnderWay += 1;
    this.#changes += 1;
    for (const [accountId, counted] of Map.groupBy(rows, (row) => row.accountId)) {
      const known = this.#reports.get(accountId);
      if (known === undefined) continue;
      const usage = withRequests(known.usage, counted, known.period);
      this.#reports.set(accountId, { ...known, usage });
    }
    try {
      await add();
    } catch (error) {
      this.forget();
      throw error;
    } finally {
      this.#changesUnderWay -= 1;
      this.#changes += 1;
    }
  }

  /** Forgets all reports: another process may have changed anything, or may do so unnoticed. */
  forget(): void {
    this.#changes += 1;
    this.#reports.clear();
  }
}

function isSettled({ reserved }: MonthUsage): boolean {
  return reserved.computeUnits === 0 && reserved.exportBytes === 0;
}
