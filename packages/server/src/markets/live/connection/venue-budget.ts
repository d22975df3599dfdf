/** The requests and connection attempts that all feeds of one venue may make together, in all threads. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { backoffMs } from '../../../platform/waiting/retry.ts';
import type { VenueLimits } from '../feed.ts';
import { Pace } from './pace.ts';

const PAUSE_FIRST_MS = 500;
const PAUSE_LAST_MS = 60_000;
/** What the venue has counted may not come nearer to its limit: others use the same address. */
const USED_SHARE_MAX = 0.9;

/** Memory for one venue, to be shared with the threads of its other feeds. */
export interface SharedBudget {
  readonly requests: SharedArrayBuffer;
  readonly connects: SharedArrayBuffer;
}

export function newSharedBudget(): SharedBudget {
  return { requests: new SharedArrayBuffer(8), connects: new SharedArrayBuffer(8) };
}

export class VenueBudget {
  readonly #requests: Pace;
  readonly #connects: Pace;
  readonly #limits: VenueLimits;
  #failures = 0;
  #pausedUntil: EpochNs | null = null;

  constructor(limits: VenueLimits, shared: SharedBudget = newSharedBudget()) {
    this.#requests = new Pace(limits.requests, shared.requests);
    this.#connects = new Pace(limits.connects, shared.connects);
    this.#limits = limits;
  }

  requestsLeft(now: EpochNs): number {
    return this.#requests.left(now);
  }

  mayConnect(now: EpochNs): boolean {
    return this.#connects.spend(1, now);
  }

  mayRequest(now: EpochNs): boolean {
    if (this.#pausedUntil !== null && now < this.#pausedUntil) return false;
    return this.#requests.spend(this.#limits.pageWeight, now);
  }

  requestUnused(): void {
    this.#requests.refund(this.#limits.pageWeight);
  }

  answered(): void {
    this.#failures = 0;
    this.#pausedUntil = null;
  }

  /** `units`: what the venue has counted in its present window, which begins anew at a multiple of its length. */
  used(units: number, now: EpochNs): void {
    const { requests } = this.#limits;
    if (units < requests.units * USED_SHARE_MAX) return;
    const windowNs = BigInt(requests.perMs) * MS_NS_BIG;
    this.#requests.pauseUntil(((now / windowNs + 1n) * windowNs) as EpochNs);
  }

  /** `retryAfterMs`: as the venue says; it holds for all feeds of the venue. */
  failed(retryAfterMs: number | null, now: EpochNs): void {
    const backoff = { firstMs: PAUSE_FIRST_MS, lastMs: PAUSE_LAST_MS };
    // Requests that were under way together fail together: that is one failure.
    if (this.#pausedUntil === null || now >= this.#pausedUntil) {
      const waitMs = backoffMs(this.#failures, backoff);
      this.#failures += 1;
      this.#pausedUntil = (now + BigInt(Math.ceil(waitMs)) * MS_NS_BIG) as EpochNs;
    }
    if (retryAfterMs === null) return;
    this.#requests.pauseUntil((now + BigInt(Math.ceil(retryAfterMs)) * MS_NS_BIG) as EpochNs);
  }
}
