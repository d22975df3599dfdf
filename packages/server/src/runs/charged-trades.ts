/**
 * Counts by rank the trades after a position and before an instant: the charge of a replay. However the pages are cut,
 * their counts add up to the trades between start and end, each counted once: every count is the difference of two sums
 * over the same trades.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import type { TapePlace } from '../tape/tape.ts';

export class ChargedTrades {
  readonly #lastDay: UtcDay;
  readonly #beforeNs: number;
  /** Charged trades of the days before `#day`. */
  #earlier = 0;
  #day: UtcDay;
  /** The last trade of `#day` that lies before the start and is not charged. */
  #from: Rank;
  /** The last charged trade of `#day` seen so far. */
  #to: Rank;
  #told = 0;

  /** `start`: the last trade that is not part of the replay. */
  constructor(start: TapePlace, before: EpochNs) {
    this.#lastDay = dayOf(before);
    this.#beforeNs = nsOfDay(before);
    this.#day = start.day;
    this.#from = start.rank;
    this.#to = start.rank;
  }

  /** The next trades of the replay, in order and without a gap. */
  see(batch: TradeBatch): void {
    if (batch.day > this.#lastDay || batch.count === 0) return;
    if (batch.day > this.#day) this.#enter(batch.day);
    const count =
      batch.day < this.#lastDay
        ? batch.count
        : firstRowAt(batch.ts, 0, batch.count, this.#beforeNs);
    if (count > 0) this.#to = (batch.firstRank + count - 1) as Rank;
  }

  /** How many trades lie at or before `end` and were not counted before; `end` must be a position already seen. */
  tell(end: TapePlace): number {
    const ofDay = end.day > this.#day ? this.#to : Math.min(this.#to, end.rank);
    const all = this.#earlier + Math.max(0, ofDay - this.#from);
    const untold = all - this.#told;
    this.#told = all;
    return untold;
  }

  #enter(day: UtcDay): void {
    this.#earlier += this.#to - this.#from;
    this.#day = day;
    this.#from = 0 as Rank;
    this.#to = 0 as Rank;
  }
}
