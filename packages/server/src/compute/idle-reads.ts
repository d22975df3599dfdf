/**
 * Open reads that are not being pulled: they keep their state in a thread, so resuming costs nothing. This memory is
 * limited by account and in all. The account with the most loses its longest idle read first; a parked read reopens at
 * its position when it is pulled.
 */

import { type ShareLimits, Shares } from '../platform/sharing/shares.ts';

/** By weight. */
export type IdleLimits = Omit<ShareLimits, 'keptForNew'>;

export interface IdleRead {
  readonly account: string;
  /** Its rough size in memory, in units of the limits. */
  readonly weight: number;
  /** Drops its state in the thread. */
  park(): void;
}

export class IdleReads {
  readonly #limits: IdleLimits;
  /** The factor for `allMax`. */
  readonly #times: () => number;
  /** Longest idle first. */
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

  /** Parked reads since the start. */
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

  /** The read is pulled or has ended. */
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
