/** The service's only source of time. `now` never runs backwards within one clock. */

import type { EpochNs } from '@tapeloom/core/numbers';

/** The longest single wait: what the platform's timers can hold (about 24 days). */
export const WAIT_MS_MAX = 2_147_483_647;

/** How many times faster than the machine's clock an accelerated one may run. */
export const SPEED_MIN = 1;
export const SPEED_MAX = 10_000;

export interface Clock {
  now(): EpochNs;
  /** Calls back once after this many milliseconds of this clock's time, unless disposed before. */
  after(ms: number, run: () => void): Disposable;
  /** Calls back repeatedly at this interval, in milliseconds of this clock's time. */
  every(ms: number, run: () => void): Disposable;
}
