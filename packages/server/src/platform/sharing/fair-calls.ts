/**
 * Access to a resource that handles a few calls at a time, shared by many holders. Excess calls wait in a fair queue,
 * round robin. A holder with many calls delays only itself: another holder's first call waits for one call of each
 * waiting holder, and for those in progress. Calls of `runFirst` go first and are never rejected.
 */

import { FairQueue } from './fair-queue.ts';
import { SharedSlots } from './shared-slots.ts';
import type { ShareLimits } from './shares.ts';

/** The slots are for calls that wait or are in progress; calls of `runFirst` need none. */
export interface FairCallsLimits extends ShareLimits {
  readonly atOnce: number;
}

export interface CallCounts {
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

  /** Null, without a call, if the holder has no free slot. Several holders may share a row. */
  run<T>(holder: string, call: () => Promise<T>, inRow: string = holder): Promise<T> | null {
    const slot = this.#slots.enter(holder);
    if (slot === null) return null;
    const wait = (start: Start) => this.#waiting.add(inRow, start);
    return this.#inTurn(wait, async () => {
      using _ = slot;
      return await call();
    });
  }

  /** Goes before all waiting calls. */
  runFirst<T>(call: () => Promise<T>): Promise<T> {
    return this.#inTurn((start) => this.#first.push(start), call);
  }

  /** Resolves when no call waits or is in progress. */
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
      // A slot is handed to the next waiting call directly, so no newcomer can take it.
      const next = this.#first.shift() ?? this.#waiting.takeInTurn();
      if (next === null) this.#underWay -= 1;
      else next();
      if (this.#count === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    }
  }
}
