/** The updates of a subscription, in the order of the stream. */

import type { NoticeKind, ResetReason } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Remove, Snapshot, Upsert } from '../indicator-objects.ts';

/** Values that a later service may add. */
type OrNewer = string & Record<never, never>;

/** All objects known so far are void; a snapshot follows. */
export interface Reset {
  readonly t: 'reset';
  readonly reason: ResetReason | OrNewer;
}

export interface Status {
  readonly t: 'status';
  readonly state: StreamState | OrNewer;
  /** How far the stream is behind the newest data it may show, in milliseconds. */
  readonly lagMs: number;
  /**
   * Trades of the session are missing before this instant, in nanoseconds since 1970; null if none are. The session's
   * close while they are still missing.
   */
  readonly partialSince: bigint | null;
}

export interface Notice {
  readonly t: 'notice';
  readonly kind: NoticeKind | OrNewer;
  /** Nanoseconds since 1970; null if the server named no time. */
  readonly effectiveAt: bigint | null;
  /** With `roll`: the alias that will stand for another contract. */
  readonly instrument: string | null;
}

/** Only in iterations: the reader was slower than the stream, so this many updates were left out for newer ones. */
export interface Skipped {
  readonly t: 'skipped';
  readonly versions: number;
}

export type StreamUpdate<I extends string> =
  | Snapshot<I>
  | Upsert<I>
  | Remove
  | Reset
  | Status
  | Notice;
export type Update<I extends string> = StreamUpdate<I> | Skipped;
