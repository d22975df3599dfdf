/** When, and how many times in a row without new data, an interrupted request is repeated. */

import { backoffMs, REQUEST_BACKOFF } from './backoff.ts';
import type { ClientClock } from './options.ts';
import { pause } from './pause.ts';
import { TapeloomError } from './tapeloom-error.ts';

/** If the option `maxRetries` is not set. */
export const RESUMES_MAX = 5;
const RETRY_AFTER_MS_MAX = 60_000;

/** Temporary errors; all others are permanent. */
const PASSING_CODES: readonly string[] = [
  'NETWORK',
  'CAPACITY',
  'WARMING',
  'UPSTREAM_ERROR',
  'INTERNAL',
];

export interface ResumesOptions {
  readonly clock: ClientClock;
  readonly signal: AbortSignal | undefined;
  readonly max: number;
  /** Further codes that count as temporary. */
  readonly passing?: readonly string[];
}

export class Resumes {
  readonly #options: ResumesOptions;
  /** Resumes in a row that brought nothing. */
  #fruitless = 0;

  constructor(options: ResumesOptions) {
    this.#options = options;
  }

  noteProgress(): void {
    this.#fruitless = 0;
  }

  /** Calls `tell`, then waits for the next try. Throws if the error is permanent or the retries are used up. */
  async recover(
    error: unknown,
    tell?: (error: TapeloomError, delayMs: number) => void,
  ): Promise<void> {
    const { clock, signal, max } = this.#options;
    signal?.throwIfAborted();
    if (!this.#passes(error) || this.#fruitless >= max) throw error;
    const delay = backoffMs(REQUEST_BACKOFF, this.#fruitless);
    const asked = Math.min((error.retryAfterSeconds ?? 0) * 1_000, RETRY_AFTER_MS_MAX);
    this.#fruitless += 1;
    const delayMs = Math.max(delay, asked);
    tell?.(error, delayMs);
    await pause(clock, delayMs, signal);
  }

  #passes(error: unknown): error is TapeloomError {
    if (!(error instanceof TapeloomError)) return false;
    const { code } = error;
    const { passing = [] } = this.#options;
    return PASSING_CODES.includes(code) || passing.includes(code) || /^HTTP_5\d\d$/.test(code);
  }
}
