/** A wait by the clock that a signal ends early. */

import type { Clock } from '../../platform/clock.ts';

export function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal.addEventListener('abort', done);
  });
}
