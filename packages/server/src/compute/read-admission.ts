/**
 * Admits reads up to a limit. A read holds a slot only while it computes; it waits if no slot is free or its account
 * has its share. Next is the account with the fewest running reads; of those, the longest waiting read. Some slots are
 * kept for accounts that run nothing. Reads that have not begun wait in a bounded queue and for a bounded time; the end
 * of the queue is kept for accounts that do not wait yet. A read that has begun is never rejected.
 */

import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { FairQueue } from '../platform/sharing/fair-queue.ts';
import { Shares } from '../platform/sharing/shares.ts';

export interface AdmissionLimits {
  /** Running reads of one account. */
  readonly workingPerAccount: number;
  /** The percentage of slots for accounts that run nothing. */
  readonly keptForNewPercent: number;
  /** Reads that wait to begin, of all accounts. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
  /** The part of `waiting` for accounts that do not wait yet. */
  readonly waitingKeptForNew: number;
  readonly waitMs: number;
}

/** The current slots of the threads. */
export interface Places {
  readonly all: number;
  /** The most for one account; its own limit may be lower. */
  readonly ofAccount: number;
}

/** A read that requests a slot. */
export interface Entering {
  readonly account: string;
  /** Whether it has begun: then it waits without a limit. */
  readonly hasBegun: boolean;
  /** Whether it already counts as running, also between two results. */
  readonly isSeated: boolean;
  readonly signal: AbortSignal;
}

interface Waiting extends Entering {
  readonly admit: () => void;
  readonly giveUp: (reason: unknown) => void;
}

export class ReadAdmission {
  readonly #limits: AdmissionLimits;
  readonly #placesNow: () => Places;
  readonly #timers: Pick<Clock, 'after'>;
  /** Reads that count as running, also between two results. */
  readonly #seats = new Shares();
  readonly #working = new Shares();
  readonly #waiting = new FairQueue<Waiting>();
  readonly #waitingToBegin = new Shares();

  /** Call `retry` when the number of slots changes. */
  constructor(limits: AdmissionLimits, placesNow: () => Places, timers: Pick<Clock, 'after'>) {
    this.#limits = limits;
    this.#placesNow = placesNow;
    this.#timers = timers;
  }

  /** Reads that hold a slot. */
  get workingCount(): number {
    return this.#working.total;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Rejects if the queue is full, or with the signal's reason. */
  async enter(entering: Entering): Promise<void> {
    entering.signal.throwIfAborted();
    if (this.#next() === null && this.#mayWork(entering)) this.#take(entering);
    else await this.#wait(entering);
  }

  /** `keepsSeat`: the read continues at once and still counts as running. */
  leave(account: string, keepsSeat: boolean): void {
    this.#working.add(account, -1);
    if (!keepsSeat) this.#seats.add(account, -1);
    this.retry();
  }

  /** A read that kept its seat has ended. */
  giveUpSeat(account: string): void {
    this.#seats.add(account, -1);
    this.retry();
  }

  /** Admits waiting reads if slots are free. */
  retry(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#stopWaiting(next);
      this.#take(next);
      next.admit();
    }
  }

  /** Rejects all waiting reads. */
  close(reason: unknown): void {
    for (const one of [...this.#waiting]) one.giveUp(reason);
  }

  #take({ account, isSeated }: Entering): void {
    this.#working.add(account, 1);
    if (!isSeated) this.#seats.add(account, 1);
  }

  async #wait(entering: Entering): Promise<void> {
    const { account, hasBegun, signal } = entering;
    if (!hasBegun) this.#refuseCrowd(account);
    const admitted = Promise.withResolvers<void>();
    const giveUp = (reason: unknown) => {
      this.#stopWaiting(one);
      admitted.reject(reason);
    };
    const one: Waiting = { ...entering, admit: admitted.resolve, giveUp };
    const abort = () => giveUp(signal.reason);
    const late = () => giveUp(new Refusal({ t: 'full', what: 'late' }));
    using _ = hasBegun ? null : this.#timers.after(this.#limits.waitMs, late);
    signal.addEventListener('abort', abort);
    this.#waiting.add(account, one);
    if (!hasBegun) this.#waitingToBegin.add(account, 1);
    try {
      await admitted.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #refuseCrowd(account: string): void {
    const { waiting, waitingPerAccount, waitingKeptForNew } = this.#limits;
    if (this.#waitingToBegin.of(account) >= waitingPerAccount) {
      throw new Refusal({ t: 'full', what: 'account' });
    }
    const limits = { eachMax: waitingPerAccount, allMax: waiting, keptForNew: waitingKeptForNew };
    if (this.#waitingToBegin.hasRoom(account, limits)) return;
    throw new Refusal({ t: 'full', what: 'queue' });
  }

  #stopWaiting(one: Waiting): void {
    const { account, hasBegun } = one;
    if (this.#waiting.delete(account, one) && !hasBegun) this.#waitingToBegin.add(account, -1);
  }

  /** Of the account with the fewest running reads. */
  #next(): Waiting | null {
    return this.#waiting.next(
      (one, other) => this.#working.of(one) < this.#working.of(other),
      (waiting) => this.#mayWork(waiting),
    );
  }

  #mayWork({ account, isSeated }: Entering): boolean {
    const { workingPerAccount, keptForNewPercent } = this.#limits;
    const { all, ofAccount } = this.#placesNow();
    const seatsMax = Math.min(workingPerAccount, ofAccount);
    if (!isSeated && this.#seats.of(account) >= seatsMax) return false;
    const keptForNew = Math.floor((all * keptForNewPercent) / 100);
    return this.#working.hasRoom(account, { eachMax: Infinity, allMax: all, keptForNew });
  }
}
