/**
 * Waits out faults of the machine that have done nothing: what met one is done again, after longer and longer
 * waits, until it meets none or another fault. When the first of several begins to wait it is told, and when
 * the last has ended.
 */

import type { Clock } from '../clock.ts';
import { isPassingFault } from './passing-fault.ts';

/** Before the first try again; each further wait is twice as long, up to the last. */
const TRY_AGAIN_MS = { first: 100, last: 3_200 } as const;

export interface PatienceOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly onWait?: (fault: unknown) => void;
  readonly onOver?: (waitedMs: number) => void;
}

export interface PatienceTerms {
  /** What is waited out, if it is not a fault of a single call. */
  readonly isPassing?: (fault: unknown) => boolean;
  /** Once aborted nothing is waited for any more. */
  readonly signal?: AbortSignal;
}

export class Patience {
  readonly #options: PatienceOptions;
  #waiting = 0;
  #waitingSince = 0n;
  #waitsTotal = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** Whether something waits now. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** How often something had to wait. */
  get waitsTotal(): number {
    return this.#waitsTotal;
  }

  async run<T>(work: () => Promise<T>, terms: PatienceTerms = {}): Promise<T> {
    const { isPassing = isPassingFault, signal } = terms;
    let waitMs: number = TRY_AGAIN_MS.first;
    let hasWaited = false;
    try {
      for (;;) {
        try {
          return await work();
        } catch (fault) {
          if (signal?.aborted === true || !isPassing(fault)) throw fault;
          if (!hasWaited) this.#begin(fault);
          hasWaited = true;
        }
        await this.#pause(waitMs, signal);
        waitMs = Math.min(2 * waitMs, TRY_AGAIN_MS.last);
      }
    } finally {
      if (hasWaited) this.#end();
    }
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer[Symbol.dispose]();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#options.clock.after(ms, done);
      signal?.addEventListener('abort', done);
    });
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
