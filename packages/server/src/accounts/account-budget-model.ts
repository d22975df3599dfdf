/**
 * What a budget should do, in the simplest words: a list of reservations, of which some hold their amount
 * and some were charged. Only the contract suite uses it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Reservation } from './account-store.ts';

interface Made {
  readonly amount: number;
  readonly period: string;
  readonly expiresAt: EpochNs;
  isHolding: boolean;
  isClosed: boolean;
  charged: number;
}

export class BudgetModel {
  readonly #limit: number;
  readonly #made = new Map<string, Made>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  find(name: string): { readonly amount: number } | undefined {
    return this.#made.get(name);
  }

  reserve(
    now: EpochNs,
    name: string,
    request: { readonly amount: number; readonly period: string; readonly expiresAt: EpochNs },
  ): Reservation {
    if (this.#made.has(name)) return { granted: true };
    this.giveBack(now);
    const { amount, period, expiresAt } = request;
    const remaining = this.#limit - this.charged(period) - this.held(period, now);
    if (amount > remaining) return { granted: false, remaining: Math.max(0, remaining) };
    const made = { amount, period, expiresAt, isHolding: true, isClosed: false, charged: 0 };
    this.#made.set(name, made);
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

  /** What has expired by now holds nothing any more, even if the clock is put back. */
  giveBack(now: EpochNs): void {
    for (const made of this.#made.values()) {
      if (made.expiresAt <= now) made.isHolding = false;
    }
  }

  charged(period: string): number {
    return this.#sum(period, (made) => made.charged);
  }

  held(period: string, now: EpochNs): number {
    return this.#sum(period, (made) => (made.isHolding && made.expiresAt > now ? made.amount : 0));
  }

  #sum(period: string, amountOf: (made: Made) => number): number {
    let sum = 0;
    for (const made of this.#made.values()) if (made.period === period) sum += amountOf(made);
    return sum;
  }
}
