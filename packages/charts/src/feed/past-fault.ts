/** What a failed request for history means for a chart. */

import { TapeloomError } from '@tapeloom/client/stream';

/**
 * `start`: there is no older data for this account. `used-up`: the month's units are. `refused`: it would fail again.
 * `passing`: worth another try.
 */
export type PastFault =
  | { readonly t: 'start' | 'used-up' }
  | { readonly t: 'refused'; readonly message: string }
  | { readonly t: 'passing'; readonly message: string; readonly atLeastMs: number };

export function pastFault(error: unknown): PastFault {
  if (!(error instanceof TapeloomError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { t: 'passing', message, atLeastMs: 0 };
  }
  const { code, message } = error;
  switch (code) {
    case 'FORBIDDEN':
    case 'NOT_COVERED':
      return { t: 'start' };
    case 'QUOTA_EXCEEDED':
      return { t: 'used-up' };
    case 'INVALID_PARAMETERS':
    case 'UNKNOWN_INDICATOR':
    case 'UNKNOWN_INSTRUMENT':
    case 'UNAUTHORIZED':
    // A service that is older than the page has no such route.
    case 'NOT_FOUND':
    case 'CONFIGURATION':
      return { t: 'refused', message };
    default:
      return { t: 'passing', message, atLeastMs: (error.retryAfterSeconds ?? 0) * 1_000 };
  }
}
