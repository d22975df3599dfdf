/**
 * Retries failed work with backoff. The caller decides which failures are temporary; any other rejects at once. After
 * an abort there is no more waiting: the next try is the last.
 */

import type { Clock } from '../clock.ts';
import { sleep } from './sleep.ts';

export interface Backoff {
  readonly firstMs: number;
  /** The limit of a wait, including jitter. */
  readonly lastMs: number;
  /** The factor from one wait to the next; default: 2. */
  readonly factor?: number;
  /** Extends each wait at random by up to this share, so that many callers do not return at once. */
  readonly jitter?: { readonly share: number; readonly random: () => number };
}

export interface RetryTerms {
  readonly clock: Pick<Clock, 'after'>;
  readonly backoff: Backoff;
  /** Whether to retry after this failure, the `tries`-th. The wait starts once this has resolved. */
  readonly passes: (error: unknown, tries: number) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** The wait after this many earlier waits. */
export function backoffMs(waits: number, { firstMs, lastMs, factor = 2, jitter }: Backoff): number {
  const ms = Math.min(firstMs * factor ** waits, lastMs);
  if (jitter === undefined) return ms;
  return Math.min(ms * (1 + jitter.share * jitter.random()), lastMs);
}

export async function retry<Result>(
  work: () => Promise<Result>,
  { clock, backoff, passes, signal }: RetryTerms,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted === true || !(await passes(error, tries))) throw error;
    }
    await sleep(clock, backoffMs(tries - 1, backoff), signal);
  }
}
