/** All that a sequencer knows between two commits: another one that is given it goes on as if it had replayed every record. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { HeldTrade } from '../log/log-payload.ts';

export interface SequencerState {
  /** The open day, or the last one that was. */
  readonly day: UtcDay;
  /** Nanoseconds since its midnight. */
  readonly promiseNs: number;
  /** Whether the first commit of the day, which settles what its opening carried, is still to come. */
  readonly isReleaseDue: boolean;
  /** Trades that wait for a day to come. */
  readonly held: readonly HeldTrade[];
  readonly lanes: readonly LaneState[];
}

export interface LaneState {
  readonly symbol: string;
  /** Its number in the open log, -1 while the log has not named it. */
  readonly index: number;
  /** The last rank given. */
  readonly rank: number;
  readonly lastNs: number;
  /** Null before the first trade. */
  readonly lastSourceNs: number | null;
  /** Of the numbers seen, those of held trades among them. */
  readonly highestId: number;
  readonly windowBits: Uint8Array;
}
