/** Retries of a call that found the compute threads at capacity: each after the same wait, for two minutes at least. */

export const FULL_WAIT_MS = 500;
const FULL_TRIES_MAX = 240;

export class FullRetries {
  #left = FULL_TRIES_MAX;

  /** False when no retry is left. */
  take(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
