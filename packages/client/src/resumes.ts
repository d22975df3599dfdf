/** How often, and how far apart, something is asked for again that was cut short: so many times in a row without anything new. */

import { backoffMs, REQUEST_BACKOFF } from './backoff.ts';
import type { ClientClock } from './options.ts';
import { pause } from './pause.ts';
import { TapeloomError } from './tapeloom-error.ts';

/** Where the caller of the client says nothing else. */
export const RESUMES_MAX = 5;
const RETRY_AFTER_MS_MAX = 60_000;

/** Errors that pass by themselves; all others stay. */
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
  /** Further codes that pass. */
  readonly passing?: readonly string[];
}

export class Resumes {
  readonly #options: ResumesOptions;
  /** Resumes in a row that brought nothing. */
  #fruitless = 0;

  constructor(options: ResumesOptions) {
    this.#options = options;
  }

  /** Something came that was not there before. */
  noteProgress(): void {
    this.#fruitless = 0;
  }

  /** Waits until it may be asked for again, which `tell` hears beforehand; or throws what ends it. */
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
