/** Why a replay is not to be had, as far as who asked for it may know. */

import { ComputeFullError } from './compute-errors.ts';

/** As many replays are open as this node takes on: asking again later may help. */
export class ReplaysFullError extends ComputeFullError {}

/** The tape does not have all of what was asked for. */
export class NotOnTapeError extends Error {}

/** The replay was disposed of, or everything was. */
export class ReplayClosedError extends Error {
  constructor() {
    super('the replay is closed');
  }
}
