/** Why something is not computed, as far as who asked for it may know. */

/** There is no room now; asking again later may help. */
export class ComputeFullError extends Error {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
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
