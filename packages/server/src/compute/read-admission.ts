/**
 * Lets reads to work, as many as there are places. A place is had only while something is computed. When
 * there is none, or its account has its share at work, a read waits. Who is next is of the account with the
 * fewest at work, of those the one that waits longest; some places are for accounts that have nothing at
 * work, so that however many take all they can get, a newcomer finds one.
 *
 * Those that have not begun wait no longer than is told, and no more of them than are told, of one account
 * and in all; the last of these waits, too, are for accounts that have none. A read that has begun is never
 * refused.
 */

import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { FairQueue } from '../platform/sharing/fair-queue.ts';
import { Shares } from '../platform/sharing/shares.ts';

export interface AdmissionLimits {
  /** Reads at work of one account. */
  readonly workingPerAccount: number;
  /** Of all places so many, in hundredths, are for accounts that have nothing at work. */
  readonly keptForNewPercent: number;
  /** Reads that wait to begin, of all accounts. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
  /** Of those so many are for accounts of which none waits. */
  readonly waitingKeptForNew: number;
  readonly waitMs: number;
}

/** How many places the threads have now. */
export interface Places {
  readonly all: number;
  /** Of these for one account, if its limit is not less. */
  readonly ofAccount: number;
}

/** What a read that wants to work is. */
export interface Entering {
  readonly account: string;
  /** Whether it has begun: then it waits as long as it takes. */
  readonly hasBegun: boolean;
  /** Whether it counts as at work already, between two results too. */
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
  /** Reads at work, between two results too. */
  readonly #seats = new Shares();
  readonly #working = new Shares();
  readonly #waiting = new FairQueue<Waiting>();
  readonly #waitingToBegin = new Shares();

  /** How many places there are may change; then `retry`. */
  constructor(limits: AdmissionLimits, placesNow: () => Places, timers: Pick<Clock, 'after'>) {
    this.#limits = limits;
    this.#placesNow = placesNow;
    this.#timers = timers;
  }

  /** Reads that have a place. */
  get workingCount(): number {
    return this.#working.total;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Refused when there is no room; or rejects with the signal's reason when that comes first. */
  async enter(entering: Entering): Promise<void> {
    entering.signal.throwIfAborted();
    if (this.#next() === null && this.#mayWork(entering)) this.#take(entering);
    else await this.#wait(entering);
  }

  /** `keepsSeat`: it will work on at once. */
  leave(account: string, keepsSeat: boolean): void {
    this.#working.add(account, -1);
    if (!keepsSeat) this.#seats.add(account, -1);
    this.retry();
  }

  /** A read that kept its seat is over. */
  giveUpSeat(account: string): void {
    this.#seats.add(account, -1);
    this.retry();
  }

  /** There may be room now. */
  retry(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#stopWaiting(next);
      this.#take(next);
      next.admit();
    }
  }

  /** Nobody will be let in any more. */
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

  /** Of the account with the fewest at work. */
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
