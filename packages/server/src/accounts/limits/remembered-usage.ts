/**
 * Reports of usage, remembered while nothing can have changed them: customers ask again and again, and each
 * reading is a trip to the store's thread. Whatever may change usage here is announced; from then until it is
 * done nothing is remembered, and all from before is forgotten, unless requests are all that it adds. So is it
 * when another process has written to the same store. A report with something reserved is not remembered, for
 * reservations also end by themselves; nothing else of it goes by the time.
 */

import type { MonthUsage, RequestCount } from '../usage/usage-store.ts';
import { withRequests } from './usage-meter.ts';

const REPORTS_MAX = 10_000;

interface Report {
  readonly usage: MonthUsage;
  readonly period: string;
}

export class RememberedUsage {
  /** By account; of the month asked for last. */
  readonly #reports = new Map<string, Report>();
  #changesUnderWay = 0;
  /** Grows with every change that begins or ends. */
  #changes = 0;

  get size(): number {
    return this.#reports.size;
  }

  /** What is remembered is no promise. */
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

  /** Does what may change usage. */
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
   * Does what adds these requests, and nothing else: who is remembered has them from the first moment on. Where it fails
   * nobody knows whether it was done.
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

  /** Somebody else may have changed anything, or may do so unnoticed. */
  forget(): void {
    this.#changes += 1;
    this.#reports.clear();
  }
}

function isSettled({ reserved }: MonthUsage): boolean {
  return reserved.computeUnits === 0 && reserved.exportBytes === 0;
}
