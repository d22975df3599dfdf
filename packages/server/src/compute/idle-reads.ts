/**
 * Reads that are open in a thread while nobody pulls them: what they have in memory there is kept for a
 * while, so that going on costs nothing. How much of it there is is limited, for one account and in all. Who
 * has most loses first, and of his the one that was idle longest; a read that lost its own begins anew, from
 * its position, when it is pulled.
 */

import { type ShareLimits, Shares } from '../platform/sharing/shares.ts';

/** By weight. */
export type IdleLimits = Omit<ShareLimits, 'keptForNew'>;

export interface IdleRead {
  readonly account: string;
  /** What it has in memory, roughly, in shares of the limits. */
  readonly weight: number;
  /** It loses what it has in its thread. */
  park(): void;
}

export class IdleReads {
  readonly #limits: IdleLimits;
  /** How many times as much there may be in all. */
  readonly #times: () => number;
  /** The longest idle are first. */
  readonly #reads = new Set<IdleRead>();
  readonly #weights = new Shares();
  #parked = 0;

  constructor(limits: IdleLimits, times: () => number) {
    this.#limits = limits;
    this.#times = times;
  }

  get count(): number {
    return this.#reads.size;
  }

  /** Reads that lost theirs, since the start. */
  get parkedCount(): number {
    return this.#parked;
  }

  add(read: IdleRead): void {
    this.#reads.add(read);
    this.#weights.add(read.account, read.weight);
    const { eachMax, allMax } = this.#limits;
    if (this.#weights.of(read.account) > eachMax) this.#parkOneOf(read.account);
    while (this.#weights.total > allMax * this.#times()) {
      this.#parkOneOf(this.#weights.largest()!);
    }
  }

  /** It is pulled, or over. */
  remove(read: IdleRead): void {
    if (this.#reads.delete(read)) this.#weights.add(read.account, -read.weight);
  }

  #parkOneOf(account: string): void {
    const read = this.#reads.values().find((one) => one.account === account)!;
    this.remove(read);
    this.#parked += 1;
    read.park();
  }
}
