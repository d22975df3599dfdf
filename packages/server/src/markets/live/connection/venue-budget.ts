/** The requests and connection attempts that all feeds of one venue may make together, in all threads. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { backoffMs } from '../../../platform/waiting/retry.ts';
import type { VenueLimits } from '../feed.ts';
import { Pace } from './pace.ts';

const PAUSE_FIRST_MS = 500;
const PAUSE_LAST_MS = 60_000;

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
  readonly #pageWeight: number;
  #failures = 0;
  #pausedUntil: EpochNs | null = null;

  constructor(limits: VenueLimits, shared: SharedBudget = newSharedBudget()) {
    this.#requests = new Pace(limits.requests, shared.requests);
    this.#connects = new Pace(limits.connects, shared.connects);
    this.#pageWeight = limits.pageWeight;
  }

  requestsLeft(now: EpochNs): number {
    return this.#requests.left(now);
  }

  mayConnect(now: EpochNs): boolean {
    return this.#connects.spend(1, now);
  }

  mayRequest(now: EpochNs): boolean {
    if (this.#pausedUntil !== null && now < this.#pausedUntil) return false;
    return this.#requests.spend(this.#pageWeight, now);
  }

  requestUnused(): void {
    this.#requests.refund(this.#pageWeight);
  }

  answered(): void {
    this.#failures = 0;
    this.#pausedUntil = null;
  }

  /** `retryAfterMs`: as the venue says; it holds for all feeds of the venue. */
  failed(retryAfterMs: number | null, now: EpochNs): void {
    const backoff = { firstMs: PAUSE_FIRST_MS, lastMs: PAUSE_LAST_MS };
    const waitMs = backoffMs(this.#failures, backoff);
    this.#failures += 1;
    this.#pausedUntil = (now + BigInt(Math.ceil(waitMs)) * MS_NS_BIG) as EpochNs;
    if (retryAfterMs === null) return;
    this.#requests.pauseUntil((now + BigInt(Math.ceil(retryAfterMs)) * MS_NS_BIG) as EpochNs);
  }
}
