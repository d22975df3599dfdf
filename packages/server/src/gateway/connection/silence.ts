/**
 * How long a client may be silent: 30 s without any frame, control frames included. Noting a frame costs one
 * assignment.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';

export const SILENCE_MS_MAX = 30_000;

export class Silence {
  readonly #msMax: number;
  #heardAt: EpochNs;

  constructor(now: EpochNs, msMax: number = SILENCE_MS_MAX) {
    this.#heardAt = now;
    this.#msMax = msMax;
  }

  hear(now: EpochNs): void {
    this.#heardAt = now;
  }

  /** Milliseconds until the client has been silent for too long, rounded up; 0 when it has. */
  msLeft(now: EpochNs): number {
    const left = this.#heardAt + BigInt(this.#msMax) * MS_NS_BIG - now;
    return left <= 0n ? 0 : Number((left + MS_NS_BIG - 1n) / MS_NS_BIG);
  }
}
