/**
 * Something that is made as it is pulled, one result at a time. Disposal takes effect at once for who waits;
 * the work itself ends at its next turn, and disposal resolves when it has.
 */

import { Refusal } from '../platform/refusal.ts';

export abstract class Pulled implements AsyncDisposable {
  readonly #closing = new AbortController();
  readonly #closed = Promise.withResolvers<never>();
  #pulling: Promise<unknown> | null = null;

  constructor() {
    // Nobody need be waiting when it is closed.
    this.#closed.promise.catch(() => {});
  }

  /** Once it is aborted, work ends with its reason. */
  protected get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Rejects when it is closed. */
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
