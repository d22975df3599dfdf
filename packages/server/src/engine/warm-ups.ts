/**
 * Which topic warms up next. A topic counts for the least-used account that waits for it, and that account is charged
 * for its time. The least-used account goes first, the earlier request among equals. A running warm-up pauses at its
 * next yield while an account that has used far less is at work. So an account that opens many topics waits for itself,
 * and a new account for none. Only the order depends on this and on its clock, never the published results.
 */

import { SharedSlots } from '../platform/sharing/shared-slots.ts';
import type { ShareLimits } from '../platform/sharing/shares.ts';

/** Topics that read the past at the same time; the others are queued, or pause. */
const ACTIVE_MAX = 4;
/** Begun, paused or not: an account that begins many leaves slots for others. */
const AT_WORK: ShareLimits = { eachMax: 3, allMax: 16, keptForNew: 8 };
/** Use counts half after this time: a sixteenth of it is left after a minute. */
export const HALF_LIFE_MS = 15_000;
/** An account waits for another one when it has used so much more. Below, finishing begun work is better. */
export const MARGIN_MS = 250;
/** Not worth remembering. */
const FORGOTTEN_MS = 1;

export interface WarmUpsOptions<T> {
  /** Does the work, calling `yieldTurn` now and then; never rejects. */
  readonly run: (topic: T, yieldTurn: () => Promise<void>) => Promise<void>;
  /** Lets other work of this thread run. */
  readonly yieldTurn: () => Promise<void>;
  readonly nowMs: () => number;
}

interface WarmUp<T> {
  readonly topic: T;
  /** Later requests have higher numbers. */
  readonly order: number;
  accounts: readonly string[];
}

interface AtWork<T> extends WarmUp<T> {
  readonly slot: Disposable;
  workingFromMs: number;
  /** Ends its pause; null when it does not pause. */
  resume: (() => void) | null;
  /** No account wants it any more: it ends by itself. */
  isUnwanted: boolean;
}

export class WarmUps<T> {
  readonly #options: WarmUpsOptions<T>;
  readonly #slots = new SharedSlots(AT_WORK);
  readonly #waiting = new Map<T, WarmUp<T>>();
  /** The same by account, for each account that wants it. */
  readonly #queues = new Map<string, Set<WarmUp<T>>>();
  readonly #atWork = new Map<T, AtWork<T>>();
  /** Engine time used, by account. */
  readonly #usedMs = new Map<string, number>();
  #halvedAtMs: number;
  #lastOrder = 0;

  constructor(options: WarmUpsOptions<T>) {
    this.#options = options;
    this.#halvedAtMs = options.nowMs();
  }

  /** Warm-ups that have not begun, or pause. */
  get waitingCount(): number {
    return this.#waiting.size + this.#atWork.size - this.#active().length;
  }

  add(topic: T, accounts: readonly string[]): void {
    this.#lastOrder += 1;
    this.#enqueue({ topic, order: this.#lastOrder, accounts });
    this.#moveOn();
  }

  /** Sets the accounts that wait for it now. */
  wanted(topic: T, accounts: readonly string[]): void {
    const atWork = this.#atWork.get(topic);
    if (atWork !== undefined) atWork.accounts = accounts;
    const waiting = this.#dequeue(topic);
    if (waiting !== null) this.#enqueue({ ...waiting, accounts });
    this.#moveOn();
  }

  /** No account waits for it any more. */
  delete(topic: T): void {
    this.#dequeue(topic);
    const atWork = this.#atWork.get(topic);
    if (atWork === undefined) return;
    atWork.isUnwanted = true;
    resume(atWork);
  }

  clear(): void {
    for (const topic of [...this.#waiting.keys(), ...this.#atWork.keys()]) this.delete(topic);
  }

  #enqueue(warmUp: WarmUp<T>): void {
    this.#waiting.set(warmUp.topic, warmUp);
    for (const account of warmUp.accounts) {
      this.#queues.getOrInsertComputed(account, () => new Set()).add(warmUp);
    }
  }

  #dequeue(topic: T): WarmUp<T> | null {
    const warmUp = this.#waiting.get(topic);
    if (warmUp === undefined) return null;
    this.#waiting.delete(topic);
    for (const account of warmUp.accounts) {
      const queue = this.#queues.get(account);
      queue?.delete(warmUp);
      if (queue?.size === 0) this.#queues.delete(account);
    }
    return warmUp;
  }

  /** Runs everything that may run: first paused work resumes, then more begins. */
  #moveOn(): void {
    this.#halve();
    for (const paused of this.#paused()) {
      if (this.#active().length >= ACTIVE_MAX || this.#mustPause(paused)) break;
      resume(paused);
    }
    const withoutSlot = new Set<string>();
    for (;;) {
      const account = this.#nextAccount(withoutSlot);
      if (account === null || !this.#mayBegin(this.#used(account))) return;
      const slot = this.#slots.enter(account);
      if (slot === null) withoutSlot.add(account);
      else this.#begin(firstOf(this.#queues.get(account)!), slot);
    }
  }

  #begin({ topic }: WarmUp<T>, slot: Disposable): void {
    const { run, nowMs } = this.#options;
    const waiting = this.#dequeue(topic)!;
    const atWork: AtWork<T> = {
      ...waiting,
      slot,
      workingFromMs: nowMs(),
      resume: null,
      isUnwanted: false,
    };
    this.#atWork.set(topic, atWork);
    void run(topic, () => this.#turn(atWork)).finally(() => {
      this.#charge(atWork);
      this.#atWork.delete(topic);
      slot[Symbol.dispose]();
      this.#moveOn();
    });
  }

  async #turn(atWork: AtWork<T>): Promise<void> {
    this.#charge(atWork);
    await this.#options.yieldTurn();
    if (!atWork.isUnwanted && this.#mustPause(atWork)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      atWork.resume = resolve;
      this.#moveOn();
      await promise;
    } else {
      this.#moveOn();
    }
    atWork.workingFromMs = this.#options.nowMs();
  }

  #charge(atWork: AtWork<T>): void {
    const now = this.#options.nowMs();
    const account = this.#lightest(atWork.accounts);
    const ms = now - atWork.workingFromMs;
    if (ms > 0) this.#usedMs.set(account, this.#used(account) + ms);
    atWork.workingFromMs = now;
  }

  #halve(): void {
    const now = this.#options.nowMs();
    if (now < this.#halvedAtMs + HALF_LIFE_MS) return;
    const part = 0.5 ** Math.floor((now - this.#halvedAtMs) / HALF_LIFE_MS);
    this.#halvedAtMs = now;
    for (const [account, used] of this.#usedMs) {
      if (used * part < FORGOTTEN_MS) this.#usedMs.delete(account);
      else this.#usedMs.set(account, used * part);
    }
  }

  /** Whether an account that has used far less is at work. */
  #mustPause(atWork: AtWork<T>): boolean {
    return this.#cost(atWork) > this.#leastAtWork() + MARGIN_MS;
  }

  #mayBegin(used: number): boolean {
    if (used > this.#leastAtWork() + MARGIN_MS) return false;
    const active = this.#active();
    // Beyond the limit only in the slot of one that will pause for it.
    return active.length < ACTIVE_MAX || active.some((it) => this.#cost(it) > used + MARGIN_MS);
  }

  #leastAtWork(): number {
    let least = Infinity;
    for (const atWork of this.#atWork.values()) least = Math.min(least, this.#cost(atWork));
    return least;
  }

  /** The account that may begin next. */
  #nextAccount(without: ReadonlySet<string>): string | null {
    let next: string | null = null;
    for (const [account, queue] of this.#queues) {
      if (without.has(account)) continue;
      const isFirst = next === null || this.#used(account) < this.#used(next);
      const isEqual = next !== null && this.#used(account) === this.#used(next);
      const isEarlier = () => firstOf(queue).order < firstOf(this.#queues.get(next!)!).order;
      if (isFirst || (isEqual && isEarlier())) next = account;
    }
    return next;
  }

  #active(): readonly AtWork<T>[] {
    return [...this.#atWork.values()].filter((it) => it.resume === null);
  }

  /** Paused work, of the least-used account first. */
  #paused(): readonly AtWork<T>[] {
    const paused = [...this.#atWork.values()].filter((it) => it.resume !== null);
    return paused.sort((a, b) => this.#cost(a) - this.#cost(b));
  }

  #cost({ accounts }: WarmUp<T>): number {
    return this.#used(this.#lightest(accounts));
  }

  #lightest(accounts: readonly string[]): string {
    return accounts.reduce((a, b) => (this.#used(b) < this.#used(a) ? b : a));
  }

  #used(account: string): number {
    return this.#usedMs.get(account) ?? 0;
  }
}

function resume(atWork: AtWork<unknown>): void {
  atWork.resume?.();
  atWork.resume = null;
}

function firstOf<E>(queue: ReadonlySet<E>): E {
  const [first] = queue;
  return first!;
}
