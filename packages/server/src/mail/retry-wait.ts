/** How long a delivery that failed waits for its next try: a second at first, then twice as long each time. */

import { MS_NS_BIG } from '@tapeloom/core/units';

const FIRST_MS = 1_000;
const DOUBLINGS_MAX = 20;

/** Before the next try, after so many. */
export function retryWaitNs(tries: number, longestMs: number): bigint {
  const waitMs = FIRST_MS * 2 ** Math.min(Math.max(tries - 1, 0), DOUBLINGS_MAX);
  return BigInt(Math.min(waitMs, longestMs)) * MS_NS_BIG;
}
