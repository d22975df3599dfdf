/**
 * The port that makes the records of a tape durable, one day after the other: log files of this machine, or a shared
 * stream. One record is in flight at a time, and the first failure ends the log for good.
 */

import type { Commit, Opening } from './log-payload.ts';

export interface TapeLog extends AsyncDisposable {
  /** Begins a day. The opening is durable when this resolves. */
  begin(opening: Opening): Promise<void>;
  /**
   * Starts to append to the newest day. The commit is encoded before this returns, so its columns may be reused. Calls
   * `onSyncing` when only waiting is left. Resolves when durable, with the bytes, valid until the next append but one.
   */
  append(kind: 'commit' | 'end', commit: Commit, onSyncing?: () => void): Promise<Uint8Array>;
  /** Called when nothing more will be appended and nothing has failed. */
  close(): Promise<void>;
}
