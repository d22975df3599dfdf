import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';

/** The clock's time now, and from then on by a clock that never jumps: a jump of the machine's clock moves nothing. */
export function steadyNow(clock: Pick<Clock, 'now'>, monotonicNs: () => bigint): () => EpochNs {
  const startedAt = clock.now();
  const startedNs = monotonicNs();
  return () => (startedAt + monotonicNs() - startedNs) as EpochNs;
}
