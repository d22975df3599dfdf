/** Calls a function of the caller's. An error of it, thrown or rejected, becomes a warning and stops nothing. */

import type { ClientWarning } from '../options.ts';

export function callListener<T>(
  hear: (told: T) => unknown,
  told: T,
  who: string,
  warn: (warning: ClientWarning) => void,
): void {
  const failed = (how: string) => (cause: unknown) =>
    warn({ code: 'LISTENER_FAILED', message: `${who} has ${how}.`, cause });
  try {
    const result = hear(told);
    if (result instanceof Promise) result.catch(failed('rejected'));
  } catch (cause) {
    failed('thrown')(cause);
  }
}
