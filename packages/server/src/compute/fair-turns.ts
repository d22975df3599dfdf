/**
 * One thread, shared between accounts by the time they use it. At every yield the thread goes to the account
 * that has used least of it, of those alike to the one served longest ago; the calls of one account are
 * done one after the other, since each that is half done holds memory. So a call of any length delays
 * another account by one slice between two yields, not by its length, and two accounts that always want
 * more get the same.
 *
 * What calls have done aside, by another thread, is done one at a time, chosen alike: that thread's
 * processor and its queue are everybody's too. An account of which one waits to have something done aside
 * does not compute the next meanwhile, so that what waits does not pile up.
 *
 * Who was away is not paid for all of it: an account comes back at most `CREDIT_MS` ahead of those that
 * stayed. As far as that goes, a short call of one account runs as if nobody else were there.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from '../platform/sharing/fair-queue.ts';
import type { Turns } from '../runs/turns.ts';

/** How far ahead of the others an account can come. */
export const CREDIT_MS = 1_000;
/** How long a thread that nobody else wants goes on without a rest. */
const REST_EVERY_MS = 8;
/** Accounts that are remembered; with more, those that want nothing now are new when they come back. */
const ACCOUNTS_MAX = 1_024;

export interface FairTurnsOptions {
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
  /** Lets what is not in turns happen: messages that arrive, files that were read. */
  readonly rest: () => Promise<void>;
  /** Whether anything waits for a rest, as far as is known; a thread that cannot know it always rests. */
  readonly isWanted?: () => boolean;
  /** Told how long the thread was held without a yield. */
  readonly onTurn?: (ms: number) => void;
}

interface Member {
  usedMs: number;
  /** The number of its last turn. */
  served: number;
  /** Its calls that are not over. */
  calls: number;
}

interface Turn {
  readonly member: Member;
  /** Away: what it waits for is done elsewhere. */
  state: 'waiting' | 'holding' | 'away' | 'over';
  wake: () => void;
}

export class FairTurns implements Turns {
  readonly #options: FairTurnsOptions;
  readonly #turns = new AsyncLocalStorage<Turn>();
  readonly #members = new Map<string, Member>();
  /** Calls that wait for the thread, by their accounts. */
  readonly #waiting = new FairQueue<Turn, Member>();
  /** Calls that wait to have something done aside. */
  readonly #asides = new FairQueue<Turn, Member>();
  #holder: Turn | null = null;
  #isAsideTaken = false;
  /** Whether somebody gives the thread away as soon as it has rested. */
  #isResting = false;
  #heldSince = 0;
  #served = 0;
  /** What the accounts that are served have used: never goes back. */
  #levelMs = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /** Accounts that are remembered. */
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
    // What goes on after its call was given up has no turn to give away.
    if (turn?.state !== 'holding') {
      await this.#options.rest();
      return;
    }
    if (!this.#isRestDue()) return;
    this.#charge(turn);
    // The next of its account only when it has ended or waits.
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
    // Its account may compute the next one now.
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
    // Its call may have been given up meanwhile.
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

  /** The thread is free: its next holder is chosen. */
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

/** Who used less of the thread, of those alike who was served longer ago. */
function isBefore(one: Member, other: Member): boolean {
  if (one.usedMs !== other.usedMs) return one.usedMs < other.usedMs;
  return one.served < other.served;
}
