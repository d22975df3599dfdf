/** What metrics and status pages show of a feed. */

import type { ConnectionState } from './feed.ts';
import type { FeedState } from './watermark/feed-watermark.ts';

export interface FeedStatus {
  readonly venue: string;
  readonly state: FeedState;
  readonly connection: ConnectionState;
  /** The watermark's distance from the clock. */
  readonly lagMs: number;
  /** Connections that ended. */
  readonly reconnects: number;
  /** Why the last one ended; null: none has. */
  readonly lastEnd: string | null;
  /** Why the venue wants no connection now, or why the last request for past trades failed; null: neither. */
  readonly lastFailure: string | null;
  /** The share of the venue's request budget that is left. */
  readonly requestsLeft: number;
  /** Trades that came after the watermark. */
  readonly late: number;
  /** Trades that the tape did not accept. */
  readonly rejected: number;
  readonly gapsOpen: number;
  /** Gaps that ended since the start. */
  readonly gapsClosed: number;
  readonly waitingBytes: number;
  /** Prints that are no order flow, by their kind. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Oddities behind which nothing is missing, by their kind. */
  readonly notes: Readonly<Record<string, number>>;
  readonly contracts: readonly ContractStatus[];
}

export interface ContractStatus {
  readonly symbol: string;
  readonly state: FeedState;
  /** Why it is down for good; null: it is not. */
  readonly fault: string | null;
}
