/** How long a delivery that failed waits for its next try: a second at first, then twice as long each time. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import { backoffMs } from '../platform/waiting/retry.ts';

const FIRST_MS = 1_000;

/** Before the next try, after so many. */
export function retryWaitNs(tries: number, longestMs: number): bigint {
  const waitMs = backoffMs(Math.max(tries - 1, 0), { firstMs: FIRST_MS, lastMs: longestMs });
  return BigInt(waitMs) * MS_NS_BIG;
}
