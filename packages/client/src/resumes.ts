/** How often, and how far apart, something is asked for again that was cut short: five times in a row without anything new. */

import type { ClientClock } from './options.ts';
import { pause } from './pause.ts';
import { TapeloomError } from './tapeloom-error.ts';

const RESUMES_MAX = 5;
const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 30_000;
const RETRY_AFTER_MS_MAX = 60_000;

/** Refusals that pass by themselves; all others stay. */
const PASSING_CODES: readonly string[] = [
  'NETWORK',
  'INVALID_RESPONSE',
  'CAPACITY',
  'WARMING',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'INTERNAL',
];

export class Resumes {
  readonly #clock: ClientClock;
  readonly #signal: AbortSignal | undefined;
  /** Resumes in a row that brought nothing. */
  #fruitless = 0;

  constructor(clock: ClientClock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Something came that was not there before. */
  noteProgress(): void {
    this.#fruitless = 0;
  }

  /** Waits until it may be asked for again, or throws what ends it. */
  async recover(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!passes(error) || this.#fruitless === RESUMES_MAX) throw error;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#fruitless, DELAY_MS_MAX);
    const asked = (error.retryAfterSeconds ?? 0) * 1_000;
    this.#fruitless += 1;
    await pause(this.#clock, Math.max(delay, Math.min(asked, RETRY_AFTER_MS_MAX)), this.#signal);
  }
}

function passes(error: unknown): error is TapeloomError {
  if (!(error instanceof TapeloomError)) return false;
  return PASSING_CODES.includes(error.code) || /^HTTP_5\d\d$/.test(error.code);
}
