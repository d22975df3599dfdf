/**
 * How many frames one connection may send: 20 a second on average, 100 at once, control frames included. The bucket
 * refills continuously, in whole nanoseconds: rounding loses nothing, and a rejected frame takes nothing.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';

export interface MessageRateLimits {
  readonly perSecond: number;
  readonly burst: number;
}

export const MESSAGE_RATE: MessageRateLimits = { perSecond: 20, burst: 100 };

export class MessageRate {
  readonly #frameNs: bigint;
  readonly #burstNs: bigint;
  /** When the bucket is full again; in the past when it is. */
  #fullAt = 0n;

  constructor({ perSecond, burst }: MessageRateLimits = MESSAGE_RATE) {
    this.#frameNs = SECOND_NS_BIG / BigInt(perSecond);
    this.#burstNs = this.#frameNs * BigInt(burst);
  }

  /** Takes one frame; false when it exceeds the rate. */
  take(now: EpochNs): boolean {
    const from = this.#fullAt > now ? this.#fullAt : now;
    const fullAt = from + this.#frameNs;
    if (fullAt - now > this.#burstNs) return false;
    this.#fullAt = fullAt;
    return true;
  }
}
