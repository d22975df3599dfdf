/**
 * How often one client may send: 20 frames a second on average, 100 at once, control frames included.
 * A bucket that refills continuously, in whole nanoseconds: nothing is lost or gained by rounding, and
 * a frame that is refused takes nothing.
 */

import type { EpochNs } from '@tapeloom/core/numbers';

const PER_SECOND = 20n;
const BURST = 100n;
const FRAME_NS = 1_000_000_000n / PER_SECOND;

export class MessageRate {
  /** When the bucket is full again; in the past when it is. */
  #fullAt = 0n;

  /** Takes one frame; false when it is one too many. */
  take(now: EpochNs): boolean {
    const from = this.#fullAt > now ? this.#fullAt : now;
    const fullAt = from + FRAME_NS;
    if (fullAt - now > BURST * FRAME_NS) return false;
    this.#fullAt = fullAt;
    return true;
  }
}
