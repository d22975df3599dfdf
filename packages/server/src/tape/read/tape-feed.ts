/**
 * What the ingest thread tells those who follow its tape, over a `MessagePort`. Every message is
 * answered with an `Ack`. A follower that leaves too many unanswered is sent nothing more until it has
 * answered all, and then the present `state`: so the line never holds more than a named number.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';

/** Messages that may be under way to one follower. */
export const UNANSWERED_MAX = 64;

export type FeedMessage = FeedState | FeedOpened | FeedCommit | FeedSealed;

/** All there is now; replaces whatever the follower knew. */
export interface FeedState {
  readonly type: 'state';
  readonly promise: EpochNs | null;
  readonly days: readonly { readonly day: UtcDay; readonly columns: readonly FeedColumns[] }[];
}

/** A day has begun, without trades so far. */
export interface FeedOpened {
  readonly type: 'opened';
  readonly day: UtcDay;
  readonly symbols: readonly string[];
}

/** A commit is on disk: these contracts have grown, and the promise holds. */
export interface FeedCommit {
  readonly type: 'commit';
  readonly day: UtcDay;
  readonly promise: EpochNs;
  readonly grown: readonly FeedColumns[];
}

/** The day's files are on disk; its live columns are given up. */
export interface FeedSealed {
  readonly type: 'sealed';
  readonly day: UtcDay;
}

export interface FeedColumns {
  readonly symbol: string;
  readonly count: number;
  /** In a `state` all segments, else those since the contract last grew. */
  readonly segments: readonly SharedArrayBuffer[];
}

/** The follower has taken in one more message. */
export type FeedAck = 'ack';
