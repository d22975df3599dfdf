/** The backoff of failed deliveries: one second at first, doubled each time. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import { backoffMs } from '../platform/waiting/retry.ts';

const FIRST_MS = 1_000;

/** The wait before the next try, after this many tries. */
export function retryWaitNs(tries: number, longestMs: number): bigint {
  const waitMs = backoffMs(Math.max(tries - 1, 0), { firstMs: FIRST_MS, lastMs: longestMs });
  return BigInt(waitMs) * MS_NS_BIG;
}
