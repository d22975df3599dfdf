/**
 * The way to something that answers one call after the other, shared by many. So many calls are under way at
 * once; the others wait, each holder's in a row of their own, and the rows take turns. Who asks a lot
 * waits for himself: another's first call waits for one call of each holder that waits, and for those under
 * way. What must be done whoever else waits goes first, and is never refused.
 */

import { type PlaceLimits, SharedPlaces } from './shared-places.ts';

/** The places are those of calls that wait or are under way; who goes first needs none. */
export interface FairLineLimits extends PlaceLimits {
  readonly atOnce: number;
}

/** What can be read of a line at any time. */
export interface LineCounts {
  /** Calls that wait or are under way. */
  readonly count: number;
  readonly refusedTotal: number;
}

type Start = () => void;

export class FairLine implements LineCounts {
  readonly #atOnce: number;
  readonly #places: SharedPlaces;
  /** Those whose turn is next stand first. */
  readonly #rows = new Map<string, Start[]>();
  readonly #first: Start[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;
  #count = 0;
  #refusedTotal = 0;

  constructor({ atOnce, ...places }: FairLineLimits) {
    this.#atOnce = atOnce;
    this.#places = new SharedPlaces(places);
  }

  get count(): number {
    return this.#count;
  }

  get refusedTotal(): number {
    return this.#refusedTotal;
  }

  /** Null, and nothing is called, when the holder has no place for one more. Several may share a row. */
  run<T>(holder: string, call: () => Promise<T>, inRow: string = holder): Promise<T> | null {
    const place = this.#places.enter(holder);
    if (place === null) {
      this.#refusedTotal += 1;
      return null;
    }
    const wait = (start: Start) => this.#rows.getOrInsertComputed(inRow, () => []).push(start);
    return this.#inTurn(wait, async () => {
      using _ = place;
      return await call();
    });
  }

  /** Before everybody's who waits. */
  runFirst<T>(call: () => Promise<T>): Promise<T> {
    return this.#inTurn((start) => this.#first.push(start), call);
  }

  /** Resolves when nobody waits and nothing is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  async #inTurn<T>(wait: (start: Start) => void, call: () => Promise<T>): Promise<T> {
    this.#count += 1;
    if (this.#underWay < this.#atOnce) this.#underWay += 1;
    else await new Promise<void>(wait);
    try {
      return await call();
    } finally {
      this.#count -= 1;
      // A turn is handed on, never free while somebody waits.
      const next = this.#next();
      if (next === undefined) this.#underWay -= 1;
      else next();
      if (this.#count === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    }
  }

  #next(): Start | undefined {
    const first = this.#first.shift();
    if (first !== undefined) return first;
    const [turn] = this.#rows;
    if (turn === undefined) return undefined;
    const [name, row] = turn;
    const next = row.shift();
    this.#rows.delete(name);
    if (row.length > 0) this.#rows.set(name, row);
    return next;
  }
}
