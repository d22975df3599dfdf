/**
 * Tries again what failed, after waits that grow from a first to a last one. The caller decides which failures pass by
 * themselves; any other rejects at once. After an abort nothing is waited for: the try that follows is the last.
 */

import type { Clock } from '../clock.ts';
import { sleep } from './sleep.ts';

export interface Backoff {
  readonly firstMs: number;
  /** No wait is longer, jitter included. */
  readonly lastMs: number;
  /** Each wait is so many times as long as the one before; 2 unless given. */
  readonly factor?: number;
  /** Lengthens each wait at random by up to this share of it, so that many callers do not return at once. */
  readonly jitter?: { readonly share: number; readonly random: () => number };
}

export interface RetryTerms {
  readonly clock: Pick<Clock, 'after'>;
  readonly backoff: Backoff;
  /** Whether to try again after this failure of so many tries. What it awaits comes before the wait. */
  readonly passes: (error: unknown, tries: number) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** The wait after so many others. */
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
