/**
 * Results that are computed on demand, one at a time. Disposal rejects waiting callers at once; the work itself ends
 * the next time it yields, and disposal resolves then.
 */

import { Refusal } from '../platform/refusal.ts';

export abstract class Pulled implements AsyncDisposable {
  readonly #closing = new AbortController();
  readonly #closed = Promise.withResolvers<never>();
  #pulling: Promise<unknown> | null = null;

  constructor() {
    // There may be no waiting caller when it is closed.
    this.#closed.promise.catch(() => {});
  }

  /** Work ends with the signal's reason once it is aborted. */
  protected get signal(): AbortSignal {
    return this.#closing.signal;
  }

  protected get closed(): Promise<never> {
    return this.#closed.promise;
  }

  protected async pull<T>(make: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    if (this.#pulling !== null) throw new Error('one result at a time');
    const pulling = make();
    this.#pulling = pulling;
    try {
      return await Promise.race([pulling, this.closed]);
    } finally {
      this.#pulling = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new Refusal({ t: 'closed' });
    const pulling = this.#pulling;
    this.#closing.abort(reason);
    this.#closed.reject(reason);
    await pulling?.catch(() => {});
  }
}
