/**
 * Shares one thread between accounts. At every yield the least-used account is next; of equals, the one served longest
 * ago. So a call delays another account by one slice, however long the call is. Calls of one account run one after the
 * other, because each unfinished one holds memory. Work for another thread (`aside`) runs one at a time in the same
 * order; an account that waits for it does not compute meanwhile.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from '../platform/sharing/fair-queue.ts';
import type { Turns } from '../runs/turns.ts';

/** How far a returning account is ahead of accounts that stayed, at most. */
export const CREDIT_MS = 1_000;
/** The longest time without a rest while no other work waits. */
const REST_EVERY_MS = 8;
/** Remembered accounts; beyond this number, accounts without calls are forgotten and return as new ones. */
const ACCOUNTS_MAX = 1_024;

export interface FairTurnsOptions {
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
  /** Lets events outside of turns happen: arriving messages, completed file reads. */
  readonly rest: () => Promise<void>;
  /** Whether anything may wait for a rest; left out, the thread always rests. */
  readonly isWanted?: () => boolean;
  /** Receives how long the thread was held without a yield. */
  readonly onTurn?: (ms: number) => void;
}

interface Member {
  usedMs: number;
  /** The number of its last turn. */
  served: number;
  /** Its unfinished calls. */
  calls: number;
}

interface Turn {
  readonly member: Member;
  /** `away`: another thread does its work. */
  state: 'waiting' | 'holding' | 'away' | 'over';
  wake: () => void;
}

export class FairTurns implements Turns {
  readonly #options: FairTurnsOptions;
  readonly #turns = new AsyncLocalStorage<Turn>();
  readonly #members = new Map<string, Member>();
  /** Calls that wait for the thread, by account. */
  readonly #waiting = new FairQueue<Turn, Member>();
  /** Calls whose work for another thread waits. */
  readonly #asides = new FairQueue<Turn, Member>();
  #holder: Turn | null = null;
  #isAsideTaken = false;
  /** Whether the thread rests; the next holder is chosen afterwards. */
  #isResting = false;
  #heldSince = 0;
  #served = 0;
  /** The usage of the accounts served so far; never decreases. */
  #levelMs = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /** Remembered accounts. */
  get accountCount(): number {
    return this.#members.size;
  }

  async within<T>(account: string, work: () => Promise<T>): Promise<T> {
    const member = this.#enter(account);
    const turn: Turn = { member, state: 'waiting', wake: () => {} };
    try {
      await this.#hold(turn);
      return await this.#turns.run(turn, work);
    } finally {
      member.calls -= 1;
      this.#leave(turn);
    }
  }

  async yieldTurn(): Promise<void> {
    const turn = this.#turns.getStore();
    // Work that continues after its call was given up has no turn to give away.
    if (turn?.state !== 'holding') {
      await this.#options.rest();
      return;
    }
    if (!this.#isRestDue()) return;
    this.#charge(turn);
    // The account's next call starts only when this one has ended or waits.
    const held = this.#queue(turn, 'first');
    this.#isResting = true;
    await this.#options.rest();
    this.#isResting = false;
    this.#grant();
    await held;
  }

  async aside<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.getStore();
    if (turn?.state !== 'holding') return await work();
    this.#charge(turn);
    turn.state = 'away';
    const begins = this.#isAsideTaken ? this.#waitAside(turn) : null;
    this.#isAsideTaken = true;
    if (!this.#isResting) this.#grant();
    try {
      await begins;
      return await work();
    } finally {
      this.#leaveAside();
      await this.#comeBack(turn);
    }
  }

  #waitAside(turn: Turn): Promise<void> {
    this.#asides.add(turn.member, turn);
    return new Promise((resolve) => {
      turn.wake = resolve;
    });
  }

  #leaveAside(): void {
    const turn = this.#asides.next(isBefore);
    this.#isAsideTaken = turn !== null;
    if (turn === null) return;
    this.#asides.delete(turn.member, turn);
    turn.wake();
    // Its account may compute again.
    if (this.#holder === null && !this.#isResting) this.#grant();
  }

  #isRestDue(): boolean {
    const { isWanted, now } = this.#options;
    return isWanted === undefined || isWanted() || now() - this.#heldSince >= REST_EVERY_MS;
  }

  #enter(account: string): Member {
    let member = this.#members.get(account);
    if (member === undefined) {
      if (this.#members.size >= ACCOUNTS_MAX) this.#forget();
      member = { usedMs: 0, served: 0, calls: 0 };
      this.#members.set(account, member);
    }
    if (member.calls === 0) member.usedMs = Math.max(member.usedMs, this.#levelMs - CREDIT_MS);
    member.calls += 1;
    return member;
  }

  async #comeBack(turn: Turn): Promise<void> {
    // The call may have been given up meanwhile.
    if (turn.state === 'away') await this.#hold(turn);
  }

  async #hold(turn: Turn): Promise<void> {
    const held = this.#queue(turn);
    if (this.#holder === null && !this.#isResting) this.#grant();
    await held;
  }

  #queue(turn: Turn, place: 'first' | 'last' = 'last'): Promise<void> {
    turn.state = 'waiting';
    this.#waiting.add(turn.member, turn, place);
    return new Promise((resolve) => {
      turn.wake = resolve;
    });
  }

  /** Gives the free thread to its next holder. */
  #grant(): void {
    const turn = this.#waiting.next(isBefore, ({ member }) => !this.#asides.has(member));
    if (turn === null) return;
    const { member } = turn;
    this.#waiting.delete(member, turn);
    this.#served += 1;
    member.served = this.#served;
    this.#levelMs = Math.max(this.#levelMs, member.usedMs);
    this.#holder = turn;
    this.#heldSince = this.#options.now();
    turn.state = 'holding';
    turn.wake();
  }

  /** The holder no longer holds the thread. */
  #charge(turn: Turn): void {
    const heldMs = this.#options.now() - this.#heldSince;
    turn.member.usedMs += heldMs;
    this.#holder = null;
    this.#options.onTurn?.(heldMs);
  }

  #leave(turn: Turn): void {
    const { state, member } = turn;
    turn.state = 'over';
    if (state === 'holding') {
      this.#charge(turn);
      if (!this.#isResting) this.#grant();
    } else if (state === 'waiting') {
      this.#waiting.delete(member, turn);
      turn.wake();
    }
  }

  #forget(): void {
    for (const [account, member] of this.#members) {
      if (member.calls === 0 && !this.#asides.has(member)) this.#members.delete(account);
    }
  }
}

/** Whether `one` used less of the thread; of equals, whether it was served longer ago. */
function isBefore(one: Member, other: Member): boolean {
  if (one.usedMs !== other.usedMs) return one.usedMs < other.usedMs;
  return one.served < other.served;
}
