/**
 * The port of replays: what a stream would have published over a period of the past, in pages that the reader pulls. A
 * replay runs the same study over the same trades with the same flush edges, so its messages and cursors are identical
 * to the stream's. A page ends at a flush edge.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { BlockParts } from '../blocks/block.ts';

export interface ReplayRequest {
  /** The account in whose slots the work runs; accounts are served round robin. Omitted: no particular account. */
  readonly account?: string | undefined;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** `after` a cursor: every update beyond it. `at` a time: a snapshot of the state there, then the updates. */
  readonly from:
    | { readonly t: 'after'; readonly cursor: string }
    | {
        readonly t: 'at';
        readonly time: EpochNs;
        readonly depth: number;
        readonly mode: StreamMode;
      };
  /** No page shows anything from this instant on. It may be raised while the replay runs. */
  readonly until: EpochNs;
  /** Trades before this instant are counted as charged: today's midnight, UTC. */
  readonly chargedBefore: EpochNs;
  /** Gaps of the tape are skipped; otherwise they are an error. */
  readonly allowsGaps?: boolean;
  /** Its pages are pulled without pauses: it counts as working until it is closed. */
  readonly isAtOnce?: boolean;
}

export interface ReplayPage {
  /** One for each day with content; a snapshot is the first line of the first page. */
  readonly blocks: readonly BlockParts[];
  /** The flush position at the page's end; the state after the page is the state there. */
  readonly position: string;
  /** Trades covered by the page, by rank, that lie before `chargedBefore`. */
  readonly chargedTrades: number;
  /** Whether the page reaches `until` (its last flush edge). */
  readonly isLast: boolean;
}

export interface Replay extends AsyncDisposable {
  /** The next page up to `until`, or to a later one given here; one call at a time. */
  next(until?: EpochNs): Promise<ReplayPage>;
}

export type CursorPlace =
  /** `at`: the time of the cursor's trade, or the midnight of its day. */
  | { readonly t: 'on-tape'; readonly at: EpochNs }
  | { readonly t: 'beyond' }
  /** The day is not on the tape. `isGap`: it should be, since the tape has earlier days. */
  | { readonly t: 'gone'; readonly isGap?: true };

export interface Replays {
  /** For a caller that may see only what lies before `seenUntil`; null: the whole tape. */
  locate(contract: string, cursor: string, seenUntil: EpochNs | null): Promise<CursorPlace>;
  /**
   * Rejects with `not-on-tape`, unless gaps are allowed, if the tape is missing a trading day between the open of the
   * session that is current at the start (or the last one) and the end.
   */
  open(request: ReplayRequest): Promise<Replay>;
}
