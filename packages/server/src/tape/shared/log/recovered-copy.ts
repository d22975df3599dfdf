/** What a machine has of the days of a shared tape that are not sealed, wherever it has it from. */

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
  /** The log that has nothing of this yet; null where it has. */
  readonly hollow: HollowLog | null;
}

export interface RecoveredCopy {
  /** Ascending; all but the last have ended. */
  readonly days: readonly RecoveredDay[];
  /** Where the newest of them stands in the stream. */
  readonly mark: LogMark | null;
  /** Behind this number the stream is read; null: from its beginning. */
  readonly from: number | null;
}

/** What the book and the stream say of days that are not here. */
export interface JoinFacts {
  /** The first number that the stream still has. */
  readonly first: number;
  readonly isListed: (day: UtcDay) => boolean;
  readonly openingOf: (day: UtcDay) => number;
  /** Those of the cluster, for a node without logs of its own: their outages are waited out. */
  readonly objects: TapeObjects;
  /** Something that was put cannot be used. */
  readonly onFault: (what: string, error: unknown) => void;
}
