/**
 * Allowances in the memory of one process. Whoever has everything back is forgotten, a few with every
 * request, so that memory follows those who ask. At `whoMax` the one who asked longest ago is forgotten
 * early and has a full allowance again.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type AllowanceState,
  type AllowanceVerdict,
  isFull,
  takeFromAllowance,
} from '@tapeloom/core/quota/allowance';
import type { Allowances } from './allowances.ts';

const WHO_MAX = 100_000;
/** More than one, so that a crowd that came at once is forgotten faster than a new one grows. */
const FORGOTTEN_PER_TAKE = 2;

export class MemoryAllowances implements Allowances {
  /** In the order in which they last asked. */
  readonly #states = new Map<string, AllowanceState>();
  readonly #whoMax: number;

  constructor(whoMax: number = WHO_MAX) {
    this.#whoMax = whoMax;
  }

  take(now: EpochNs, who: string, perMinute: number): Promise<AllowanceVerdict> {
    return Promise.resolve(this.takeNow(now, who, perMinute));
  }

  /** The same without a promise, for those who know that they are in this process. */
  takeNow(now: EpochNs, who: string, perMinute: number): AllowanceVerdict {
    const { state, verdict } = takeFromAllowance(this.#states.get(who) ?? null, now, perMinute);
    this.#states.delete(who);
    this.#states.set(who, state);
    this.#forget(now);
    return verdict;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#states.size;
  }

  #forget(now: EpochNs): void {
    let left = FORGOTTEN_PER_TAKE;
    for (const [who, state] of this.#states) {
      if (left === 0 || (this.#states.size <= this.#whoMax && !isFull(state, now))) return;
      this.#states.delete(who);
      left -= 1;
    }
  }
}
