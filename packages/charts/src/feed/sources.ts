/**
 * Where a chart's data comes from: a live stream, history and the facts about instruments. `TapeloomClient` fulfils it,
 * and so do the shared connection of a page and the sources of a test.
 */

import type {
  CallOptions,
  ConnectionChange,
  ConnectionState,
  Estimate,
  HistoryPage,
  HistoryRequest,
  Instrument,
  InstrumentsRequest,
  StudiesRequest,
  SubscribeRequest,
  TapeloomError,
  Usage,
} from '@tapeloom/client';
import type { StreamUpdate } from '@tapeloom/client/stream';

/** The state of a connection that all charts of a page share. */
export type SharedState =
  | { readonly t: 'idle' }
  | { readonly t: 'connecting' }
  | { readonly t: 'open' }
  /** Since `atMs` of the clock. */
  | { readonly t: 'lost'; readonly atMs: number; readonly retryInMs: number | null }
  /** Given up while the page is hidden. */
  | { readonly t: 'paused' }
  /** Another tab or program has as many connections as the plan allows. */
  | { readonly t: 'other-tab' }
  | { readonly t: 'signed-out' }
  /** The rights of the account have changed, or it may not stream from here. */
  | { readonly t: 'ended'; readonly code: string };

/** What a feed reads of a subscription's state. It changes while the subscription lasts. */
export interface FeedState {
  readonly cursor: string | null;
  readonly status: string | null;
  readonly lagMs: number;
  readonly partialSince: bigint | null;
  readonly contract: string | null;
  readonly tickSizeNanos: number | null;
  readonly serverNs: bigint | null;
}

/** The part of a subscription that a feed uses. */
export interface FeedSubscription {
  readonly state: FeedState;
  /** Resolves with the error that ended it; null if the feed closed it. Never rejects. */
  readonly ended: Promise<TapeloomError | null>;
  on<K extends StreamUpdate<string>['t']>(
    kind: K,
    hear: (update: Extract<StreamUpdate<string>, { t: K }>) => void,
  ): () => void;
  close(): Promise<void>;
}

export interface FeedPast {
  pages(): AsyncIterable<HistoryPage<string>>;
}

export interface SessionsRequest extends CallOptions {
  /** An alias or a symbol. */
  readonly instrument: string;
  /** UTC days, `2026-11-17`; both are included. */
  readonly from: string;
  readonly to: string;
}

/** Of `GET /v1/sessions`. Instants are nanoseconds since 1970 as text. */
export interface SessionsAnswer {
  readonly instrument: string;
  readonly contract: string;
  /** IANA zone of the exchange; null if unknown. */
  readonly timeZone: string | null;
  readonly sessions: readonly {
    /** Trading date, YYYYMMDD. */
    readonly date: number;
    readonly open: string;
    readonly close: string;
    readonly regular: { readonly open: string; readonly close: string } | null;
  }[];
}

export interface FeedSources {
  subscribe(request: SubscribeRequest<string>): FeedSubscription;
  history(request: HistoryRequest<string>): FeedPast;
  estimate(request: HistoryRequest<string> | StudiesRequest): Promise<Estimate>;
  usage(call?: CallOptions): Promise<Usage>;
  instruments(request?: InstrumentsRequest): Promise<readonly Instrument[]>;
  /** Without it a chart marks no sessions and sums nothing over them. */
  sessions?(request: SessionsRequest): Promise<SessionsAnswer>;
  /** Of a connection that charts share. Without it, `connection` says whether the stream runs. */
  readonly state?: SharedState;
  onState?(hear: (state: SharedState) => void): () => void;
  readonly connection: ConnectionState;
  on(kind: 'connection', hear: (change: ConnectionChange) => void): () => void;
}
