/**
 * A process that is killed at one of its steps: at a call of the store, or at another declared step. Killed before a
 * step, the step does not happen; killed after it, its result is lost. From then on, nothing happens.
 */

import type { AccountStore } from '../../src/accounts/store/account-store.ts';

const PARTS = new Set(['people', 'orders', 'withdrawals', 'mails']);

export interface Kill {
  /** The first is 0. */
  readonly step: number;
  readonly when: 'before' | 'after';
}

export class KilledProcess {
  /** The store for the process. */
  readonly store: AccountStore;
  readonly #kill: Kill;
  #steps = 0;
  #isKilled = false;

  constructor(store: AccountStore, kill: Kill) {
    this.store = this.#over(store);
    this.#kill = kill;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  step<Result>(work: () => Result): Result {
    const isNow = this.#steps === this.#kill.step;
    this.#steps += 1;
    if (isNow && this.#kill.when === 'before') this.#isKilled = true;
    if (this.#isKilled) throw new Error('killed');
    const result = work();
    if (isNow) this.#isKilled = true;
    if (!isNow) return result;
    if (!(result instanceof Promise)) throw new Error('killed');
    return result.then(() => {
      throw new Error('killed');
    }) as Result;
  }

  #over<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name);
        if (PARTS.has(String(name))) return this.#over(value as object);
        if (typeof value !== 'function' || typeof name === 'symbol') return value;
        if (name.startsWith('on')) return value;
        return async (...args: readonly unknown[]) => this.step(() => value.apply(target, args));
      },
    });
  }
}
