/**
 * The days of every contract on the tape, as last reported by the compute threads. If they are older than half a
 * second, a request looks again, one look at a time: it fetches only contracts whose version changed, and all of them
 * every minute. Requests wait for the look; if it fails, they get the last known days.
 */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import type { SettledDays } from '../results/settled-days.ts';
import { type DayQuality, qualityOf } from './day-quality.ts';

/** The maximum age without a new look. */
const AGE_NS_MAX = SECOND_NS_BIG / 2n;
/** The maximum delay until a change without a new version is seen. */
const ASK_ALL_NS = MINUTE_NS_BIG;

/** Days by contract, ascending. */
export type DaysByContract = ReadonlyMap<string, ReadonlyMap<UtcDay, DayQuality>>;

export interface KnownDaysOptions {
  readonly days: Pick<SettledDays, 'daysOf' | 'daysVersions'>;
  readonly book: () => InstrumentBook;
  readonly clock: Pick<Clock, 'now'>;
}

interface KnownContract {
  readonly version: string | null;
  /** Changes when the days change. */
  readonly text: string;
  readonly days: ReadonlyMap<UtcDay, DayQuality>;
}

export class KnownDays {
  readonly #options: KnownDaysOptions;
  readonly #contracts = new Map<string, KnownContract>();
  #known: DaysByContract | null = null;
  #revision = 0;
  #lookedAt: EpochNs | null = null;
  #askedAllAt: EpochNs | null = null;
  #looking: Promise<DaysByContract> | null = null;

  constructor(options: KnownDaysOptions) {
    this.#options = options;
  }

  /** Changes whenever the days change. */
  get revision(): number {
    return this.#revision;
  }

  /** Rejects only while no days are known. */
  get(): Promise<DaysByContract> | DaysByContract {
    const now = this.#options.clock.now();
    const isOld = this.#lookedAt === null || now > this.#lookedAt + AGE_NS_MAX;
    if (!isOld && this.#known !== null) return this.#known;
    this.#looking ??= this.#look(now);
    const known = this.#known;
    return known === null ? this.#looking : this.#looking.catch(() => known);
  }

  async #look(now: EpochNs): Promise<DaysByContract> {
    try {
      const { book, days } = this.#options;
      const contracts = book()
        .all()
        .map(({ symbol }) => symbol);
      const versions = await days.daysVersions(contracts);
      const isAll = this.#askedAllAt === null || now >= this.#askedAllAt + ASK_ALL_NS;
      const asked = contracts.flatMap((symbol, at) => {
        const version = versions[at] ?? null;
        const isSame = version !== null && this.#contracts.get(symbol)?.version === version;
        return isAll || !isSame ? [{ symbol, version }] : [];
      });
      if (asked.length > 0) await this.#ask(asked);
      if (isAll) this.#askedAllAt = now;
      this.#keepOnly(contracts);
      return this.#known!;
    } finally {
      // After a failure too, so that the next look is not immediate.
      this.#lookedAt = now;
      this.#looking = null;
    }
  }

  async #ask(asked: readonly { readonly symbol: string; readonly version: string | null }[]) {
    const told = await this.#options.days.daysOf(asked.map(({ symbol }) => symbol));
    asked.forEach(({ symbol, version }, at) => {
      const days = told[at]!.map((one) => [one.day, qualityOf(one)] as const);
      const text = JSON.stringify(days);
      const before = this.#contracts.get(symbol);
      if (before?.text !== text) this.#known = null;
      const known = before?.text === text ? before.days : new Map(days);
      this.#contracts.set(symbol, { version, text, days: known });
    });
  }

  /** Forgets contracts that are no longer listed. */
  #keepOnly(contracts: readonly string[]): void {
    const listed = new Set(contracts);
    for (const symbol of [...this.#contracts.keys()]) {
      if (listed.has(symbol)) continue;
      this.#contracts.delete(symbol);
      this.#known = null;
    }
    if (this.#known !== null) return;
    this.#known = new Map(contracts.map((symbol) => [symbol, this.#contracts.get(symbol)!.days]));
    this.#revision += 1;
  }
}
