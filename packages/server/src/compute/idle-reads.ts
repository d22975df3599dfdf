/**
 * Reads that are open in a thread while nobody pulls them: what they have in memory there is kept for a
 * while, so that going on costs nothing. How much of it there is is limited, for one account and in all. Who
 * has most loses first, and of his the one that was idle longest; a read that lost its own begins anew, from
 * its position, when it is pulled.
 */

export interface IdleLimits {
  /** By weight. */
  readonly eachMax: number;
  readonly allMax: number;
}

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
  readonly #byAccount = new Map<string, number>();
  #weight = 0;
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
    this.#change(read, 1);
    const { eachMax, allMax } = this.#limits;
    if (this.#of(read.account) > eachMax) this.#parkOneOf(read.account);
    while (this.#weight > allMax * this.#times()) this.#parkOneOf(this.#largest());
  }

  /** It is pulled, or over. */
  remove(read: IdleRead): void {
    if (this.#reads.delete(read)) this.#change(read, -1);
  }

  #parkOneOf(account: string): void {
    const read = this.#reads.values().find((one) => one.account === account)!;
    this.remove(read);
    this.#parked += 1;
    read.park();
  }

  #largest(): string {
    let largest: string | null = null;
    for (const [account, weight] of this.#byAccount) {
      if (largest === null || weight > this.#of(largest)) largest = account;
    }
    return largest!;
  }

  #of(account: string): number {
    return this.#byAccount.get(account) ?? 0;
  }

  #change({ account, weight }: IdleRead, sign: 1 | -1): void {
    const sum = this.#of(account) + sign * weight;
    if (sum === 0) this.#byAccount.delete(account);
    else this.#byAccount.set(account, sum);
    this.#weight += sign * weight;
  }
}
