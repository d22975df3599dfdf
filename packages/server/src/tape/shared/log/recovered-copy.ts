/** A node's unsealed days of a shared tape, from whatever source. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { LiveDay } from '../../live-day.ts';
import type { TapeObjects } from '../../stream/tape-stream.ts';
import type { LogEnd } from '../../write/log/day-log.ts';
import type { HollowLog } from '../parts/fill-log.ts';
import type { LogMark } from './log-mark.ts';

export interface RecoveredDay {
  readonly live: LiveDay;
  readonly end: LogEnd;
  readonly promiseNs: number;
  readonly isEnded: boolean;
  /** The log that is still to be filled with this; null when it is complete. */
  readonly hollow: HollowLog | null;
}

export interface RecoveredCopy {
  /** Ascending; all but the last have ended. */
  readonly days: readonly RecoveredDay[];
  /** Position of the newest day in the stream. */
  readonly mark: LogMark | null;
  /** The stream is read behind this number; null: from its beginning. */
  readonly from: number | null;
}

/** What the book and the stream record of days that are missing here. */
export interface JoinFacts {
  /** The first number that the stream still has. */
  readonly first: number;
  readonly isListed: (day: UtcDay) => boolean;
  readonly openingOf: (day: UtcDay) => number;
  /** The cluster's objects, for a node without own logs: calls are retried through outages. */
  readonly objects: TapeObjects;
  /** A stored object cannot be used. */
  readonly onFault: (what: string, error: unknown) => void;
}
