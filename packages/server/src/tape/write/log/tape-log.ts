/** The port that makes records durable: log files, or a shared stream. One at a time; the first failure ends it. */

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
