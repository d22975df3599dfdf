/**
 * The venue's time: the latest one that it has named, plus the time elapsed since on a clock that never jumps. It is an
 * estimate from below, since a named time is in the past when it arrives. The newest minutes decide, because two clocks
 * drift apart.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';

/** A time further ahead of our clock is wrong: the tape would reject it. */
const AHEAD_NS_MAX = 2n * HOUR_NS_BIG;

export class VenueTime {
  /** The venue's clock less ours, at most, in the present minute and in the one before. */
  #aheadNs: bigint | null = null;
  #beforeNs: bigint | null = null;
  #minuteAt: EpochNs | null = null;

  /** The venue has named this time. */
  seen(venueTime: EpochNs, now: EpochNs): void {
    const aheadNs = venueTime - now;
    if (aheadNs > AHEAD_NS_MAX) return;
    this.isNamed = true;
    if (this.#minuteAt === null || now - this.#minuteAt >= MINUTE_NS_BIG) {
      this.#minuteAt = now;
      this.#beforeNs = this.#aheadNs;
      this.#aheadNs = aheadNs;
    } else if (this.#aheadNs === null || aheadNs > this.#aheadNs) this.#aheadNs = aheadNs;
  }

  /** Whether the venue has named a time, now or in an earlier run. */
  isNamed = false;

  /** A time that is certainly past: a start from below. */
  startAt(venueTime: EpochNs, now: EpochNs): void {
    this.#aheadNs = venueTime - now;
  }

  /** What an earlier run knew. */
  resume(aheadNs: bigint): void {
    if (this.#aheadNs === null || aheadNs > this.#aheadNs) this.#aheadNs = aheadNs;
    this.isNamed = true;
  }

  /** The venue's clock less ours; null: unknown. */
  get aheadNs(): bigint | null {
    const before = this.#beforeNs;
    if (this.#aheadNs === null || before === null) return this.#aheadNs;
    return before > this.#aheadNs ? before : this.#aheadNs;
  }

  /** The venue's time when our clock showed `at`; null: it has named none. */
  at(at: EpochNs): EpochNs | null {
    const { aheadNs } = this;
    return aheadNs === null ? null : ((at + aheadNs) as EpochNs);
  }
}
