/**
 * Reports of usage, remembered while nothing this process does can have changed them: customers ask again
 * and again, and each reading is a trip to the store's thread. Whatever may change usage is announced
 * here; from then until it is done nothing is remembered, and all from before is forgotten, unless requests are all
 * that it adds. A report with
 * something reserved is not remembered, for reservations also end by themselves. What another process
 * changes in the same store shows within a second.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { MonthUsage, RequestCount } from '../store/account-store.ts';
import { withRequests } from './usage-meter.ts';

const REMEMBERED_NS = SECOND_NS_BIG;
const REPORTS_MAX = 10_000;

interface Report {
  readonly usage: MonthUsage;
  readonly period: string;
  /** When it was asked for. */
  readonly at: EpochNs;
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
    now: EpochNs,
    accountId: string,
    period: string,
    ask: () => Promise<MonthUsage>,
  ): Promise<MonthUsage> | MonthUsage {
    const known = this.#reports.get(accountId);
    const isNew = known !== undefined && known.at <= now && now - known.at < REMEMBERED_NS;
    return isNew && known.period === period ? known.usage : this.#ask(now, accountId, period, ask);
  }

  async #ask(
    now: EpochNs,
    accountId: string,
    period: string,
    ask: () => Promise<MonthUsage>,
  ): Promise<MonthUsage> {
    const changes = this.#changes;
    const usage = await ask();
    if (this.#changesUnderWay === 0 && changes === this.#changes && isSettled(usage)) {
      if (this.#reports.size >= REPORTS_MAX) this.#reports.clear();
      this.#reports.set(accountId, { usage, period, at: now });
    }
    return usage;
  }

  /** Does what may change usage. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#changesUnderWay += 1;
    this.#forget();
    try {
      return await work();
    } finally {
      this.#changesUnderWay -= 1;
      this.#forget();
    }
  }

  /**
   * Does what adds these requests, and nothing else: who is remembered has them from then on. Where it fails nobody knows
   * whether it was done.
   */
  async count(rows: readonly RequestCount[], add: () => Promise<void>): Promise<void> {
    this.#changesUnderWay += 1;
    this.#changes += 1;
    try {
      await add();
      for (const [accountId, counted] of Map.groupBy(rows, (row) => row.accountId)) {
        const known = this.#reports.get(accountId);
        if (known === undefined) continue;
        const usage = withRequests(known.usage, counted, known.period);
        this.#reports.set(accountId, { ...known, usage });
      }
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#changesUnderWay -= 1;
      this.#changes += 1;
    }
  }

  #forget(): void {
    this.#changes += 1;
    this.#reports.clear();
  }
}

function isSettled({ reserved }: MonthUsage): boolean {
  return reserved.computeUnits === 0 && reserved.exportBytes === 0;
}
