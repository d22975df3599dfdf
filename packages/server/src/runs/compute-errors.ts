/** Why something is not computed, as far as who asked for it may know. */

/**
 * What there was no room for: `queue` and `account`, too many wait to begin, in all or of this account; `late`,
 * none came free in time; `questions`, too many are unanswered; `thread`, it is full or behind the tape;
 * `cursors`, too many wait for one; `tables`, too many are being written; `bytes`, what was computed for the
 * account has not left.
 */
export const FULL_REASONS = [
  'queue',
  'account',
  'late',
  'questions',
  'thread',
  'cursors',
  'tables',
  'bytes',
] as const;
export type FullReason = (typeof FULL_REASONS)[number];

/** There is no room now; asking again later may help. */
export class ComputeFullError extends Error {
  readonly retryAfterSeconds: number;
  readonly reason: FullReason;

  constructor(message: string, retryAfterSeconds: number, reason: FullReason) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason;
  }
}

/** Something of ours failed; what it was is told to the operator only. */
export class ComputeFailedError extends Error {
  constructor(cause?: unknown) {
    super('the computation failed', { cause });
  }
}

/** Everything was shut down. */
export class ComputeClosedError extends Error {
  constructor() {
    super('nothing is computed any more');
  }
}
