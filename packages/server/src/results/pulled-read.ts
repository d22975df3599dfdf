/** Settled days that are made as they are pulled; what they hold is closed before disposal resolves. */

import { Pulled } from '../runs/pulled.ts';
import type { DaysPage, DaysRead } from './settled-days.ts';

export class PulledRead extends Pulled implements DaysRead {
  readonly inputs: string;
  readonly #results: AsyncGenerator<DaysPage>;

  /** Once the signal is aborted, the results reject with its reason. */
  constructor(inputs: string, create: (signal: AbortSignal) => AsyncGenerator<DaysPage>) {
    super();
    this.inputs = inputs;
    this.#results = create(this.signal);
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
