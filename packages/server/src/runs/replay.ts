/**
 * The port of replays: what a stream would have published over a stretch of the past, in pages that the
 * reader pulls. A replay runs the same study over the same trades as the stream did, with the same flush
 * edges, so that its messages, cursors and all, are the stream's own; a page ends at a flush edge.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { BlockParts } from '../blocks/block.ts';

export interface ReplayRequest {
  /** Whose turn it is: work of different accounts takes turns. Without one it is nobody's in particular. */
  readonly account?: string | undefined;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** After a cursor: every update beyond it. At a time: a snapshot of the state there, then the updates. */
  readonly from:
    | { readonly t: 'after'; readonly cursor: string }
    | {
        readonly t: 'at';
        readonly time: EpochNs;
        readonly depth: number;
        readonly mode: StreamMode;
      };
  /** No page shows anything of the tape from this instant on. May be raised while the replay runs. */
  readonly until: EpochNs;
  /** Trades before this instant are counted as charged: today's midnight, UTC. */
  readonly chargedBefore: EpochNs;
  /** What the tape lacks is passed over, not refused. */
  readonly allowsGaps?: boolean;
  /** Pulled at once, not as a client reads: it counts as at work until it is closed. */
  readonly isAtOnce?: boolean;
}

export interface ReplayPage {
  /** One of each day that has something; a snapshot, if there is one, is the first line of the first page. */
  readonly blocks: readonly BlockParts[];
  /** The flush position at the page's end: the state after the page is the state there. */
  readonly position: string;
  /** Trades the page covered, by rank: those before `chargedBefore`. */
  readonly chargedTrades: number;
  /** Whether the page reaches `until` (its last flush edge). */
  readonly isLast: boolean;
}

export interface Replay extends AsyncDisposable {
  /** The next page up to `until`, or to a later one given here; one call at a time. */
  next(until?: EpochNs): Promise<ReplayPage>;
}

/** Where a cursor lies. */
export type CursorPlace =
  /** `at`: the time of its trade, or the midnight of its day. */
  | { readonly t: 'on-tape'; readonly at: EpochNs }
  | { readonly t: 'beyond' }
  /** Its day is not on the tape; `isGap`: it should be, since the tape has earlier ones. */
  | { readonly t: 'gone'; readonly isGap?: true };

export interface Replays {
  /** For who sees nothing from `seenUntil` on; null sees the whole tape. */
  locate(contract: string, cursor: string, seenUntil: EpochNs | null): Promise<CursorPlace>;
  /**
   * Refused as `not-on-tape`, unless gaps are allowed, when the tape does not have what is asked for: every trading day from
   * the open of the session that is current at the start, or the last one, up to the end.
   */
  open(request: ReplayRequest): Promise<Replay>;
}
