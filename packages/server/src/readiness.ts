/**
 * Whether a customer would be served: why not, or null. What lasts counts at once. What mostly is over in a
 * moment, as an engine that is replaced, counts once it has been there for a second, so that nobody is sent
 * elsewhere and back for it.
 */

import type { Clock } from './platform/clock.ts';

const LOOK_EVERY_MS = 250;
const COUNTS_AFTER_NS = 1_000_000_000n;

export interface ReadinessOptions {
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly lasting: () => string | null;
  readonly passing: () => string | null;
}

export class Readiness implements Disposable {
  readonly #options: ReadinessOptions;
  readonly #timer: Disposable;
  /** Since when something that may pass is missing; null while nothing is. */
  #missingSince: bigint | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    this.#timer = options.clock.every(LOOK_EVERY_MS, () => this.#passing());
  }

  get reason(): string | null {
    const passing = this.#passing();
    return this.#options.lasting() ?? passing;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #passing(): string | null {
    const found = this.#options.passing();
    if (found === null) {
      this.#missingSince = null;
      return null;
    }
    const now: bigint = this.#options.clock.now();
    this.#missingSince ??= now;
    return now - this.#missingSince >= COUNTS_AFTER_NS ? found : null;
  }
}
