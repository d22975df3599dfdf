/**
 * The days of every contract that are on the tape, as the compute threads told them last. What is older than a minute
 * is asked for anew, once at a time. Who asks gets what is known meanwhile, unless that is older still, for nobody may
 * have asked since yesterday: then he waits, as he does while nothing is known.
 */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import type { SettledDays } from '../results/settled-days.ts';
import { type DayQuality, qualityOf } from './day-quality.ts';

/** What is told without waiting is no older. */
const AGE_NS_MAX = 2n * MINUTE_NS_BIG;

/** Days by contract, ascending. */
export type DaysByContract = ReadonlyMap<string, ReadonlyMap<UtcDay, DayQuality>>;

export interface KnownDaysOptions {
  readonly daysOf: SettledDays['daysOf'];
  readonly book: () => InstrumentBook;
  readonly clock: Pick<Clock, 'now'>;
}

export class KnownDays {
  readonly #options: KnownDaysOptions;
  #known: DaysByContract | null = null;
  /** What was known, as a text: another, other days. */
  #text = '';
  #revision = 0;
  #askedAt: EpochNs | null = null;
  /** When that was asked for which is known. */
  #knownAt: EpochNs | null = null;
  #asking: Promise<DaysByContract> | null = null;

  constructor(options: KnownDaysOptions) {
    this.#options = options;
  }

  /** Another whenever the days are. */
  get revision(): number {
    return this.#revision;
  }

  /** Rejects only while nothing is known. */
  get(): Promise<DaysByContract> | DaysByContract {
    const now = this.#options.clock.now();
    if (this.#asking === null && (this.#askedAt === null || now >= this.#askedAt + MINUTE_NS_BIG)) {
      this.#askedAt = now;
      this.#asking = this.#ask(now);
      const over = () => {
        this.#asking = null;
      };
      // What is known stays; who waits for the first is told.
      this.#asking.then(over, over);
    }
    const isOld = this.#knownAt === null || now > this.#knownAt + AGE_NS_MAX;
    if (this.#known === null) return this.#asking!;
    return isOld && this.#asking !== null ? this.#newest(this.#asking) : this.#known;
  }

  async #newest(asking: Promise<DaysByContract>): Promise<DaysByContract> {
    const known = this.#known!;
    return await asking.catch(() => known);
  }

  async #ask(now: EpochNs): Promise<DaysByContract> {
    try {
      const contracts = this.#options
        .book()
        .all()
        .map(({ symbol }) => symbol);
      const told = await this.#options.daysOf(contracts);
      const days = told.map((one) => one.map((it) => [it.day, qualityOf(it)] as const));
      const text = JSON.stringify([contracts, days]);
      if (this.#known === null || text !== this.#text) {
        this.#known = new Map(contracts.map((symbol, at) => [symbol, new Map(days[at])]));
        this.#text = text;
        this.#revision += 1;
      }
      this.#knownAt = now;
      return this.#known;
    } catch (error) {
      if (this.#known === null) this.#askedAt = null;
      throw error;
    }
  }
}
