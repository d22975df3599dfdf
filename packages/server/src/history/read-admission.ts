/**
 * Lets reads in, as many as there is room for, each to a place that is kept for it. When there is none, or
 * its account has its share, a read waits: at most so many, of one account at most so many, and no longer
 * than is told. Who is let in next is of the account with the fewest open reads, of those the one that
 * waits longest.
 */

import { ComputeFullError } from './compute-errors.ts';

const RETRY_AFTER_SECONDS = 5;

export interface AdmissionLimits {
  /** Open reads of one account. */
  readonly openPerAccount: number;
  /** Reads that wait, of all accounts. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
  readonly waitMs: number;
}

interface Waiting<Place> {
  readonly account: string;
  readonly preferred: Place | undefined;
  readonly admit: (place: Place) => void;
  readonly giveUp: (reason: unknown) => void;
}

export class ReadAdmission<Place> {
  readonly #limits: AdmissionLimits;
  readonly #take: (preferred?: Place) => Place | null;
  readonly #open = new Map<string, number>();
  readonly #waiting = new Set<Waiting<Place>>();

  /** `take` keeps a place if there is one; who leaves has given it back before. */
  constructor(limits: AdmissionLimits, take: (preferred?: Place) => Place | null) {
    this.#limits = limits;
    this.#take = take;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Rejects with `ComputeFullError`, or with the signal's reason when that comes first. */
  async admit(account: string, signal?: AbortSignal, preferred?: Place): Promise<Place> {
    signal?.throwIfAborted();
    const isFirst = !this.#waiting.values().some((one) => this.#mayOpen(one.account));
    if (isFirst && this.#mayOpen(account)) {
      const place = this.#take(preferred);
      if (place !== null) {
        this.#count(account, 1);
        return place;
      }
    }
    return await this.#wait(account, signal, preferred);
  }

  leave(account: string): void {
    this.#count(account, -1);
    this.retry();
  }

  /** There may be room now. */
  retry(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const place = this.#take(next.preferred);
      if (place === null) return;
      this.#waiting.delete(next);
      this.#count(next.account, 1);
      next.admit(place);
    }
  }

  /** Nobody will be let in any more. */
  close(reason: unknown): void {
    for (const one of [...this.#waiting]) one.giveUp(reason);
  }

  async #wait(
    account: string,
    signal: AbortSignal | undefined,
    preferred: Place | undefined,
  ): Promise<Place> {
    const { waiting, waitingPerAccount, waitMs } = this.#limits;
    const ofAccount = [...this.#waiting].filter((one) => one.account === account).length;
    if (this.#waiting.size >= waiting || ofAccount >= waitingPerAccount) {
      throw new ComputeFullError('too much is waiting to be computed', RETRY_AFTER_SECONDS);
    }
    const admitted = Promise.withResolvers<Place>();
    const giveUp = (reason: unknown) => {
      this.#waiting.delete(one);
      admitted.reject(reason);
    };
    const one = { account, preferred, admit: admitted.resolve, giveUp };
    const abort = () => giveUp(signal!.reason);
    const timer = setTimeout(() => {
      giveUp(new ComputeFullError('there was no room in time', RETRY_AFTER_SECONDS));
    }, waitMs);
    signal?.addEventListener('abort', abort);
    this.#waiting.add(one);
    try {
      return await admitted.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #next(): Waiting<Place> | null {
    let next: Waiting<Place> | null = null;
    for (const one of this.#waiting) {
      if (!this.#mayOpen(one.account)) continue;
      if (next === null || this.#openOf(one) < this.#openOf(next)) next = one;
    }
    return next;
  }

  #openOf({ account }: Waiting<Place>): number {
    return this.#open.get(account) ?? 0;
  }

  #mayOpen(account: string): boolean {
    return (this.#open.get(account) ?? 0) < this.#limits.openPerAccount;
  }

  #count(account: string, by: 1 | -1): void {
    const count = (this.#open.get(account) ?? 0) + by;
    if (count === 0) this.#open.delete(account);
    else this.#open.set(account, count);
  }
}
