/** The reference model of a budget: a list of reservations, each holding or charged. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Reservation, ReserveRequest } from '../../../src/accounts/usage/usage-store.ts';

interface Made {
  readonly amount: number;
  readonly period: string;
  readonly expiresAt: EpochNs;
  readonly isTest: boolean;
  isHolding: boolean;
  isClosed: boolean;
  charged: number;
}

export class BudgetModel {
  readonly #limit: number;
  readonly #testLimit: number;
  readonly #made = new Map<string, Made>();

  constructor(limit: number, testLimit: number) {
    this.#limit = limit;
    this.#testLimit = testLimit;
  }

  find(name: string): { readonly amount: number } | undefined {
    return this.#made.get(name);
  }

  reserve(
    now: EpochNs,
    name: string,
    request: Pick<ReserveRequest, 'amount' | 'period' | 'expiresAt' | 'testLimit'>,
  ): Reservation {
    if (this.#made.has(name)) return { granted: true };
    this.giveBack(now);
    const { amount, period, expiresAt } = request;
    const isTest = request.testLimit !== null;
    const ofAll = this.#limit - this.charged(period) - this.held(period, now);
    const ofTests = this.#testLimit - this.charged(period, true) - this.held(period, now, true);
    const remaining = isTest ? Math.min(ofAll, ofTests) : ofAll;
    if (amount > remaining) return { granted: false, remaining: Math.max(0, remaining) };
    const begun = { isHolding: true, isClosed: false, charged: 0 };
    this.#made.set(name, { amount, period, expiresAt, isTest, ...begun });
    return { granted: true };
  }

  settle(name: string, amount: number): boolean {
    const made = this.#made.get(name);
    if (made === undefined || made.isClosed) return false;
    made.charged = amount;
    made.isHolding = false;
    made.isClosed = true;
    return true;
  }

  void(name: string): boolean {
    return this.settle(name, 0);
  }

  /** Expired reservations hold nothing, even if the clock is set back later. */
  giveBack(now: EpochNs): void {
    for (const made of this.#made.values()) {
      if (made.expiresAt <= now) made.isHolding = false;
    }
  }

  /** By all keys, or by test keys only. */
  charged(period: string, isOfTests = false): number {
    return this.#sum(period, isOfTests, (made) => made.charged);
  }

  held(period: string, now: EpochNs, isOfTests = false): number {
    return this.#sum(period, isOfTests, (made) =>
      made.isHolding && made.expiresAt > now ? made.amount : 0,
    );
  }

  #sum(period: string, isOfTests: boolean, amountOf: (made: Made) => number): number {
    let sum = 0;
    for (const made of this.#made.values()) {
      if (made.period === period && (made.isTest || !isOfTests)) sum += amountOf(made);
    }
    return sum;
  }
}
