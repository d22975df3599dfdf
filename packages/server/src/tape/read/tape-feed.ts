/**
 * The messages from the ingest thread to the followers of its tape, each acknowledged. A follower with too many
 * unacknowledged messages gets no more until it has caught up, and then the `state`: so its queue is bounded.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TapeGap } from '../tape-gap.ts';

/** Unacknowledged messages per follower. */
export const UNANSWERED_MAX = 64;

export type FeedMessage = FeedState | FeedOpened | FeedCommit | FeedSealed;

/** The complete state; replaces everything the follower knew. */
export interface FeedState {
  readonly type: 'state';
  readonly promise: EpochNs | null;
  readonly days: readonly FeedDay[];
}

export interface FeedDay {
  readonly day: UtcDay;
  readonly columns: readonly FeedColumns[];
  /** All that touch the day; absent: none. */
  readonly gaps?: readonly TapeGap[];
}

/** A day has begun, without trades so far. */
export interface FeedOpened {
  readonly type: 'opened';
  readonly day: UtcDay;
  readonly symbols: readonly string[];
  /** Those that reach into the day; absent: none. */
  readonly gaps?: readonly TapeGap[];
}

/** A commit is on disk: these contracts have grown, and the watermark holds. */
export interface FeedCommit {
  readonly type: 'commit';
  readonly day: UtcDay;
  readonly promise: EpochNs;
  readonly grown: readonly FeedColumns[];
  /** Gaps that it recorded or changed; absent: none. */
  readonly gaps?: readonly TapeGap[];
}

/** The day's files are on disk; its live columns are released. */
export interface FeedSealed {
  readonly type: 'sealed';
  readonly day: UtcDay;
}

export interface FeedColumns {
  readonly symbol: string;
  readonly count: number;
  /** In a `state` all segments, otherwise those added since the contract last grew. */
  readonly segments: readonly SharedArrayBuffer[];
}

export type FeedAck = 'ack';
