/**
 * Results that are made as they are pulled. Disposal takes effect at once for who waits; the work itself
 * ends at its next turn, and what it holds is closed before disposal resolves.
 */

import { Refusal } from '../platform/refusal.ts';
import type { DayResult, DaysRead } from './settled-days.ts';

export class PulledRead implements DaysRead {
  readonly inputs: string;
  readonly #results: AsyncGenerator<DayResult>;
  readonly #closing = new AbortController();
  readonly #whenClosed = Promise.withResolvers<never>();
  #pulling: Promise<IteratorResult<DayResult>> | null = null;

  /** Once the signal is aborted, the results reject with its reason. */
  constructor(inputs: string, create: (signal: AbortSignal) => AsyncGenerator<DayResult>) {
    this.inputs = inputs;
    this.#results = create(this.#closing.signal);
    // Nobody need be waiting when it is closed.
    this.#whenClosed.promise.catch(() => {});
  }

  async next(): Promise<DayResult | null> {
    this.#closing.signal.throwIfAborted();
    if (this.#pulling !== null) throw new Error('one result at a time');
    const pulling = this.#results.next();
    this.#pulling = pulling;
    try {
      const { done, value } = await Promise.race([pulling, this.#whenClosed.promise]);
      return done === true ? null : value;
    } finally {
      this.#pulling = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const error = new Refusal({ t: 'closed' });
    const pulling = this.#pulling;
    this.#closing.abort(error);
    this.#whenClosed.reject(error);
    await pulling?.catch(() => {});
    await this.#results.return(undefined);
  }
}
