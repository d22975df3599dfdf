/** Settled days that are computed on demand; disposal also closes what the results hold open. */

import { Pulled } from '../runs/pulled.ts';
import type { DaysPage, DaysRead } from './settled-days.ts';

export interface PulledWork {
  /** If false, a page ends where something would have to be computed, even if it is empty. */
  readonly mayCompute: boolean;
}

export class PulledRead extends Pulled implements DaysRead {
  readonly inputs: string;
  readonly #work = { mayCompute: true };
  readonly #results: AsyncGenerator<DaysPage>;

  /** When the signal is aborted, the results reject with its reason. */
  constructor(
    inputs: string,
    create: (signal: AbortSignal, work: PulledWork) => AsyncGenerator<DaysPage>,
  ) {
    super();
    this.inputs = inputs;
    this.#results = create(this.signal, this.#work);
  }

  async kept(): Promise<DaysPage | null> {
    this.#work.mayCompute = false;
    try {
      const page = await this.next();
      const isNothing = page !== null && page.parts.length === 0 && !page.isLast;
      return isNothing ? null : page;
    } finally {
      this.#work.mayCompute = true;
    }
  }

  async next(): Promise<DaysPage | null> {
    const { done, value } = await this.pull(() => this.#results.next());
    return done === true ? null : value;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#results.return(undefined);
  }
}
