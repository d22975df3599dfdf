/** Which contracts may trade on a day, cached because it is looked up for each of millions of prints. */

import type { UtcDay } from '@tapeloom/core/numbers';

/** The contracts of the dataset that may trade on a day. */
export type ListedSymbols = (day: UtcDay) => readonly string[];

/** Days in the cache: the open one and its neighbours. */
const DAYS_MAX = 3;

export class ListedOn {
  readonly of: ListedSymbols;
  readonly #byDay = new Map<number, ReadonlySet<string>>();

  constructor(listed: ListedSymbols) {
    this.of = listed;
  }

  /** Asks again about an unknown contract: it may have been listed since. */
  has(symbol: string, day: UtcDay): boolean {
    if (this.#byDay.get(day)?.has(symbol) === true) return true;
    if (this.#byDay.size >= DAYS_MAX) this.#byDay.clear();
    const listed = new Set(this.of(day));
    this.#byDay.set(day, listed);
    return listed.has(symbol);
  }
}
