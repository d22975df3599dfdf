/** Events and actions of a subscription's delivery: the interface between its state machine and its shell. */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { RefusalReason } from '../../platform/refusal.ts';
import type { CursorPlace, ReplayPage, ReplayRequest } from '../../runs/replay.ts';
import type { RingPiece } from '../../topics/ring.ts';
import type { StartRefusal } from './start-verdict.ts';

export type DeliveryStart =
  | { readonly t: 'live' }
  | { readonly t: 'cursor'; readonly cursor: Cursor }
  | { readonly t: 'time'; readonly time: EpochNs };

export interface TopicState {
  readonly state: StreamState;
  readonly lagMs: number;
  /** Since when the topic has all of its session; null when that is the session's open. */
  readonly partialSince: EpochNs | null;
}

/** The state of a topic when a subscriber attaches. */
export interface TopicFacts extends TopicState {
  readonly key: string;
  /** Whether it has caught up with the tape. */
  readonly ready: boolean;
}

export type DeliveryEvent =
  | { readonly t: 'begin' }
  | { readonly t: 'located'; readonly place: CursorPlace }
  | { readonly t: 'locate-failed'; readonly why: RefusalReason }
  | { readonly t: 'waited' }
  | { readonly t: 'attached'; readonly topic: TopicFacts }
  | { readonly t: 'ready' }
  | ({ readonly t: 'status' } & TopicState)
  /** The subscription holds the connection's permit to send a piece, until `return-permit`. */
  | { readonly t: 'permit' }
  /** The snapshot is written; from here on the topic's flushes follow it. */
  | { readonly t: 'snapshot' }
  | { readonly t: 'page'; readonly page: ReplayPage }
  | { readonly t: 'replay-failed'; readonly why: RefusalReason }
  /** The page's cost was reserved, or why it was not. */
  | { readonly t: 'reserved'; readonly refusal: StartRefusal | null }
  /** The next piece of the ring; null when the ring does not have all of it. */
  | { readonly t: 'piece'; readonly piece: RingPiece | null }
  /** The topic has ended because the tape was repaired behind it. */
  | { readonly t: 'outdated' }
  | { readonly t: 'fault' }
  /** The subscription is over, whatever ended it. */
  | { readonly t: 'end' };

export type DeliveryAction =
  | { readonly t: 'locate'; readonly cursor: string }
  | { readonly t: 'wait'; readonly ms: number }
  /** The shell responds at once, by `attached` or by the end. */
  | { readonly t: 'attach'; readonly since: string | null }
  | { readonly t: 'send-reset'; readonly reason: ResetReason }
  | { readonly t: 'send-subscribed'; readonly topic: string }
  | {
      readonly t: 'send-status';
      readonly state: StreamState;
      readonly lagMs: number;
      /** Nanoseconds; absent where the session is complete. */
      readonly partialSince?: string;
    }
  | { readonly t: 'request-permit' }
  | { readonly t: 'return-permit' }
  | { readonly t: 'request-snapshot' }
  | ReplayAction
  /** The shell responds at once, by `piece`. After the newest piece the topic's flushes follow. */
  | { readonly t: 'pull-ring'; readonly after: string }
  | { readonly t: 'write-piece'; readonly piece: RingPiece }
  /** The subscription is rejected or interrupted. */
  | { readonly t: 'fail'; readonly reply: StartRefusal }
  /** This node cannot judge the start: the client must reconnect. */
  | { readonly t: 'send-away' };

export type ReplayAction =
  | { readonly t: 'open-replay'; readonly replay: DeliveryReplay }
  /** May come before the replay is open: the first page follows its opening. */
  | { readonly t: 'next-page'; readonly until: EpochNs }
  | { readonly t: 'close-replay' }
  /** `page` counts the replay's charged pages: 1, 2, 3 … */
  | { readonly t: 'reserve'; readonly page: number; readonly trades: number }
  | { readonly t: 'settle'; readonly page: number; readonly trades: number }
  | { readonly t: 'void'; readonly page: number }
  | { readonly t: 'write-page'; readonly page: ReplayPage };

/** The part of a replay's request that the start decides. */
export interface DeliveryReplay extends Pick<ReplayRequest, 'until' | 'chargedBefore'> {
  readonly from: { readonly cursor: string } | { readonly time: EpochNs };
}
