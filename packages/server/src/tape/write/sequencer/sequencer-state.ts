/** The state of a sequencer between two commits. Adopting it equals a replay of every record. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { HeldTrade } from '../log/log-payload.ts';
import type { LoggedNote } from '../notes/logged-note.ts';

export interface SequencerState {
  /** The open day, or the last open one. */
  readonly day: UtcDay;
  /** Nanoseconds since its midnight. */
  readonly promiseNs: number;
  /** Whether the day's first commit, which settles the trades of its opening, is still to come. */
  readonly isReleaseDue: boolean;
  readonly held: readonly HeldTrade[];
  readonly lanes: readonly LaneState[];
  /** Positions, remembered batches, gaps that touch the day. */
  readonly notes: readonly LoggedNote[];
}

export interface LaneState {
  readonly symbol: string;
  /** Its number in the open log, -1 while the log has not named it. */
  readonly index: number;
  /** The last assigned rank. */
  readonly rank: number;
  readonly lastNs: number;
  /** Null before the first trade. */
  readonly lastSourceNs: number | null;
  /** The highest feed number seen, held trades included. */
  readonly highestId: number;
  readonly windowBits: Uint8Array;
}
