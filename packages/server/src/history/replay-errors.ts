/** Why a replay is not to be had, as far as who asked for it may know. */

/** As many replays are open as this node takes on: asking again later may help. */
export class ReplaysFullError extends Error {
  constructor(limit: number) {
    super(`no more than ${limit} replays are open at a time`);
  }
}

/** The tape does not have all of what was asked for. */
export class NotOnTapeError extends Error {}

/** The replay was disposed of, or everything was. */
export class ReplayClosedError extends Error {
  constructor() {
    super('the replay is closed');
  }
}

/** Something of ours failed; what it was is told to the operator only. */
export class ReplayFailedError extends Error {
  constructor(cause?: unknown) {
    super('the replay failed', { cause });
  }
}
