/** Waits on a clock. An abort ends the wait early: it resolves then too, so callers look at their signal afterwards. */

import type { Clock } from '../clock.ts';

export function sleep(
  clock: Pick<Clock, 'after'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  // A signal that was aborted before sends no event.
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
