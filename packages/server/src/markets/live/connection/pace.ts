/**
 * Spends units evenly: a tenth of the rate at once, the rest spread over its time, so that no window of that time ever
 * has more than the rate. The state is one number in memory that threads can share, so that all feeds of one venue share
 * its limit. Pure: the caller's clocks must agree.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS } from '@tapeloom/core/units';
import type { Rate } from '../feed.ts';

const AT_ONCE_SHARE = 0.1;
const ROUNDING_NS = 1_000;

export class Pace {
  readonly #unitNs: number;
  readonly #burstNs: number;
  /** The time at which everything spent so far is earned. */
  readonly #earnedAt: BigInt64Array;

  constructor({ units, perMs }: Rate, shared?: SharedArrayBuffer) {
    const atOnce = Math.max(1, units * AT_ONCE_SHARE);
    const spread = Math.max(1, units - atOnce);
    this.#unitNs = (perMs * MS_NS) / spread;
    this.#burstNs = atOnce * this.#unitNs;
    this.#earnedAt = new BigInt64Array(shared ?? new SharedArrayBuffer(8));
  }

  /** The share of what may be spent at once that is left. */
  left(now: EpochNs): number {
    const owedNs = Math.max(0, Number(Atomics.load(this.#earnedAt, 0) - now));
    return Math.max(0, 1 - owedNs / this.#burstNs);
  }

  /** False: not yet. A cost above the burst is allowed once everything is earned. */
  spend(units: number, now: EpochNs): boolean {
    const costNs = units * this.#unitNs;
    for (;;) {
      const earnedAt = Atomics.load(this.#earnedAt, 0);
      const owedNs = Math.max(0, Number(earnedAt - now));
      if (owedNs > 0 && owedNs + costNs > this.#burstNs + ROUNDING_NS) return false;
      const next = now + BigInt(Math.ceil(owedNs + costNs));
      if (Atomics.compareExchange(this.#earnedAt, 0, earnedAt, next) === earnedAt) return true;
    }
  }

  /** Gives back what was not used. */
  refund(units: number): void {
    Atomics.sub(this.#earnedAt, 0, BigInt(Math.floor(units * this.#unitNs)));
  }

  /** The venue wants silence until then. */
  pauseUntil(until: EpochNs): void {
    const earnedAt = until + BigInt(Math.ceil(this.#burstNs));
    for (;;) {
      const before = Atomics.load(this.#earnedAt, 0);
      if (before >= earnedAt) return;
      if (Atomics.compareExchange(this.#earnedAt, 0, before, earnedAt) === before) return;
    }
  }
}
