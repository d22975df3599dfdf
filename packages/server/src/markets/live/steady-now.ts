/** Time for a feed: it follows a clock that never jumps, so a jump of the machine's clock moves nothing. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';

/** The clock's time now, and from then on the time elapsed. */
export function steadyNow(clock: Pick<Clock, 'now'>, monotonicNs: () => bigint): () => EpochNs {
  const startedAt = clock.now();
  const startedNs = monotonicNs();
  return () => (startedAt + monotonicNs() - startedNs) as EpochNs;
}
