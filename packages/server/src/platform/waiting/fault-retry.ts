/**
 * Retries work that met a machine fault without any effect, with growing waits, until it succeeds or meets another
 * fault. `onWait` is called when the first of concurrent waits begins, `onOver` when the last one ends.
 */

import type { Clock } from '../clock.ts';
import { isPassingFault } from './passing-fault.ts';
import { type Backoff, retry } from './retry.ts';

const TRY_AGAIN: Backoff = { firstMs: 100, lastMs: 3_200 };

export interface FaultRetryOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly onWait?: (fault: unknown) => void;
  readonly onOver?: (waitedMs: number) => void;
}

export interface FaultRetryTerms {
  /** Which faults to retry; default: faults of a single call. */
  readonly isPassing?: (fault: unknown) => boolean;
  /** Once aborted, there is no more waiting. */
  readonly signal?: AbortSignal;
}

export class FaultRetry {
  readonly #options: FaultRetryOptions;
  #waiting = 0;
  #waitingSince = 0n;
  #waitsTotal = 0;

  constructor(options: FaultRetryOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** How many calls of `run` had to wait. */
  get waitsTotal(): number {
    return this.#waitsTotal;
  }

  async run<T>(work: () => Promise<T>, terms: FaultRetryTerms = {}): Promise<T> {
    const { isPassing = isPassingFault, signal } = terms;
    let hasWaited = false;
    const passes = (fault: unknown) => {
      if (!isPassing(fault)) return false;
      if (!hasWaited) this.#begin(fault);
      hasWaited = true;
      return true;
    };
    try {
      return await retry(work, { clock: this.#options.clock, backoff: TRY_AGAIN, passes, signal });
    } finally {
      if (hasWaited) this.#end();
    }
  }

  #begin(fault: unknown): void {
    this.#waitsTotal += 1;
    this.#waiting += 1;
    if (this.#waiting > 1) return;
    this.#waitingSince = this.#options.clock.now();
    this.#options.onWait?.(fault);
  }

  #end(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#options.onOver?.(Number(this.#options.clock.now() - this.#waitingSince) / 1_000_000);
  }
}
