/**
 * The port of what makes the records of a tape durable, one day after the other: the log files of this machine, or a
 * stream that many share. One record is on its way at a time, and the first that fails ends the log for good.
 */

import type { Commit, Opening } from './log-payload.ts';

export interface TapeLog extends AsyncDisposable {
  /** Begins a day; its opening is durable once this resolves. */
  begin(opening: Opening): Promise<void>;
  /**
   * Starts to append to the day begun last; the commit is encoded before this returns, so its columns may be reused
   * then. Calls `onSyncing` when all that is left is to wait. Resolves once it is durable, with the whole record, good
   * until the next append but one.
   */
  append(kind: 'commit' | 'end', commit: Commit, onSyncing?: () => void): Promise<Uint8Array>;
  /** Nothing more will be appended, and nothing has failed. */
  close(): Promise<void>;
}
