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

/** What an account has. */
interface Share {
  /** Reads at work. */
  seats: number;
  /** Places. */
  places: number;
  /** Reads that wait to begin. */
  waiting: number;
}

const NONE: Readonly<Share> = { seats: 0, places: 0, waiting: 0 };

export class ReadAdmission {
  readonly #limits: AdmissionLimits;
  readonly #placesNow: () => Places;
  readonly #timers: Pick<Clock, 'after'>;
  readonly #shares = new Map<string, Share>();
  readonly #waiting = new Set<Waiting>();
  #places = 0;
  #waitingToBegin = 0;

  /** How many places there are may change; then `retry`. */
  constructor(limits: AdmissionLimits, placesNow: () => Places, timers: Pick<Clock, 'after'>) {
    this.#limits = limits;
    this.#placesNow = placesNow;
    this.#timers = timers;
  }

  /** Reads that have a place. */
  get workingCount(): number {
    return this.#places;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Refused when there is no room; or rejects with the signal's reason when that comes first. */
  async enter(entering: Entering): Promise<void> {
    entering.signal.throwIfAborted();
    const isFirst = !this.#waiting.values().some((one) => this.#mayWork(one));
    if (isFirst && this.#mayWork(entering)) this.#take(entering);
    else await this.#wait(entering);
  }

  /** `keepsSeat`: it will work on at once. */
  leave(account: string, keepsSeat: boolean): void {
    this.#places -= 1;
    this.#change(account, { places: -1, seats: keepsSeat ? 0 : -1 });
    this.retry();
  }

  /** A read that kept its seat is over. */
  giveUpSeat(account: string): void {
    this.#change(account, { seats: -1 });
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
    this.#places += 1;
    this.#change(account, { places: 1, seats: isSeated ? 0 : 1 });
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
    this.#waiting.add(one);
    if (!hasBegun) this.#countWaiting(account, 1);
    try {
      await admitted.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #refuseCrowd(account: string): void {
    const { waiting, waitingPerAccount, waitingKeptForNew } = this.#limits;
    const own = this.#of(account).waiting;
    if (own >= waitingPerAccount) throw new Refusal({ t: 'full', what: 'account' });
    if (this.#waitingToBegin >= (own > 0 ? waiting - waitingKeptForNew : waiting)) {
      throw new Refusal({ t: 'full', what: 'queue' });
    }
  }

  #stopWaiting(one: Waiting): void {
    if (this.#waiting.delete(one) && !one.hasBegun) this.#countWaiting(one.account, -1);
  }

  #countWaiting(account: string, by: 1 | -1): void {
    this.#waitingToBegin += by;
    this.#change(account, { waiting: by });
  }

  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const one of this.#waiting) {
      if (!this.#mayWork(one)) continue;
      if (next === null || this.#of(one.account).places < this.#of(next.account).places) next = one;
    }
    return next;
  }

  #mayWork({ account, isSeated }: Entering): boolean {
    const { workingPerAccount, keptForNewPercent } = this.#limits;
    const { seats, places } = this.#of(account);
    const { all, ofAccount } = this.#placesNow();
    if (!isSeated && seats >= Math.min(workingPerAccount, ofAccount)) return false;
    const kept = Math.floor((all * keptForNewPercent) / 100);
    return this.#places < (places > 0 ? all - kept : all);
  }

  #of(account: string): Readonly<Share> {
    return this.#shares.get(account) ?? NONE;
  }

  #change(account: string, by: Partial<Share>): void {
    const before = this.#of(account);
    const share = {
      seats: before.seats + (by.seats ?? 0),
      places: before.places + (by.places ?? 0),
      waiting: before.waiting + (by.waiting ?? 0),
    };
    if (share.seats + share.places + share.waiting === 0) this.#shares.delete(account);
    else this.#shares.set(account, share);
  }
}
