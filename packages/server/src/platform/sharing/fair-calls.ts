/**
 * The way to something that answers one call after the other, shared by many. So many calls are under way at once; the others
 * wait in a fair queue, by turns. A holder that calls a lot waits for itself: another's first call waits for one call of each
 * holder that waits, and for those under way. What must be done whoever else waits goes first, and is never refused.
 */

import { FairQueue } from './fair-queue.ts';
import { SharedSlots } from './shared-slots.ts';
import type { ShareLimits } from './shares.ts';

/** The slots are those of calls that wait or are under way; who goes first needs none. */
export interface FairCallsLimits extends ShareLimits {
  readonly atOnce: number;
}

/** What can be read of the calls at any time. */
export interface CallCounts {
  /** Calls that wait or are under way. */
  readonly count: number;
  readonly refusedTotal: number;
}

type Start = () => void;

export class FairCalls implements CallCounts {
  readonly #atOnce: number;
  readonly #slots: SharedSlots;
  readonly #waiting = new FairQueue<Start>();
  readonly #first: Start[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;
  #count = 0;

  constructor({ atOnce, ...limits }: FairCallsLimits) {
    this.#atOnce = atOnce;
    this.#slots = new SharedSlots(limits);
  }

  get count(): number {
    return this.#count;
  }

  get refusedTotal(): number {
    return this.#slots.refusedCount;
  }

  /** Null, and nothing is called, when the holder has no slot for one more. Several may share a row. */
  run<T>(holder: string, call: () => Promise<T>, inRow: string = holder): Promise<T> | null {
    const slot = this.#slots.enter(holder);
    if (slot === null) return null;
    const wait = (start: Start) => this.#waiting.add(inRow, start);
    return this.#inTurn(wait, async () => {
      using _ = slot;
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
      const next = this.#first.shift() ?? this.#waiting.takeInTurn();
      if (next === null) this.#underWay -= 1;
      else next();
      if (this.#count === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    }
  }
}
