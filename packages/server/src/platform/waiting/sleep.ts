/** Waits on a clock. An abort ends the wait early and resolves it too, so callers must check their signal. */

import type { Clock } from '../clock.ts';

export function sleep(
  clock: Pick<Clock, 'after'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  // A signal that is already aborted sends no event.
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener('abort', done);
  });
}
