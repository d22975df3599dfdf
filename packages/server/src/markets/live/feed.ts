/**
 * The port of a venue. A venue is one folder below `markets/live/` that implements `Venue` without any I/O: what to
 * send, what a message says, how the past is requested. Connections, limits, holes, gaps and time are the supervisor's.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedTrade, Line, PageReading, PageWish } from './lines/line.ts';
import type { LineBudget } from './lines/line-budget.ts';
import type { OpenHours } from './watermark/open-hours.ts';

export interface FeedContract {
  /** Our symbol. */
  readonly symbol: string;
  /** The venue's name for it. */
  readonly venueSymbol: string;
  readonly tickSizeNanos: number;
  readonly lotSizeNanos: number;
  /** The trading days; null: always open. */
  readonly hours: OpenHours;
}

/** So many units in so many milliseconds. */
export interface Rate {
  readonly units: number;
  readonly perMs: number;
}

export interface VenueLimits {
  readonly contractsPerConnection: number;
  /** Units are weights of requests; shared by all feeds of the venue. */
  readonly requests: Rate;
  readonly pageWeight: number;
  readonly pagesAtOnce: number;
  /** Attempts to connect. */
  readonly connects: Rate;
  /** Messages that one connection may send. */
  readonly messages: Rate;
  /** The venue ends a connection after this; the next one is opened before. Null: it does not. */
  readonly connectionLifeMs: number | null;
}

export type FeedMessage = string | Uint8Array;

/** What a message of the venue says. */
export type Reading =
  | { readonly kind: 'trades'; readonly symbol: string; readonly trades: readonly FeedTrade[] }
  /** Prints that are no order flow. */
  | { readonly kind: 'leftOut'; readonly symbol: string; readonly what: string }
  /** Something odd that is worth counting, although nothing is missing because of it. */
  | { readonly kind: 'note'; readonly symbol: string; readonly what: string }
  | { readonly kind: 'subscribed' }
  /** A heartbeat or the like, with the venue's time if it has one. */
  | { readonly kind: 'alive'; readonly venueTime: EpochNs | null }
  | { readonly kind: 'reply'; readonly message: FeedMessage }
  /** The venue does not serve this contract. */
  | { readonly kind: 'refused'; readonly symbol: string; readonly why: string }
  /** The venue has repeated what it was asked to: what comes now is new. */
  | { readonly kind: 'repeated'; readonly symbol: string }
  /** The venue ends the session for a reason of its own. `retryAfterMs`: before that, another attempt is pointless. */
  | { readonly kind: 'ended'; readonly why: string; readonly retryAfterMs: number | null }
  /** Not understood. The connection ends, because trades may be in it. */
  | { readonly kind: 'garbled'; readonly why: string };

/** Reads the messages of one connection in order. */
export interface VenueReader {
  read(message: FeedMessage): readonly Reading[];
}

export interface PageRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type PageOutcome =
  | PageReading
  /** 429, 5xx and the like: no request before `retryAfterMs`, if the venue says so. */
  | { readonly kind: 'refused'; readonly why: string; readonly retryAfterMs: number | null };

export interface LineOptions {
  readonly contract: FeedContract;
  readonly budget: LineBudget;
  readonly lastId: number;
  readonly position: string | null;
  /** The tape is empty and begins at this time, if the venue remembers it; null: it begins with the next trade. */
  readonly beginAt?: EpochNs | null;
  /** Of the feed: what was traded before is on the tape, or a gap names it. Null: nothing is. */
  readonly watermark?: () => EpochNs | null;
}

export interface Venue {
  readonly name: string;
  readonly limits: VenueLimits;
  /** Whether it answers a subscription with `subscribed`. */
  readonly acknowledges: boolean;
  /** A message that keeps the connection open, sent after so much silence of ours. Null: none is needed. */
  readonly keepAlive: { readonly everyMs: number; readonly message: FeedMessage } | null;
  /** Without any message for so long the connection is dead, also while the market is closed. Null: unknown. */
  readonly deadAfterMs: number | null;
  address(contracts: readonly FeedContract[]): string;
  /** `lines`: a feed that repeats its stream asks them from when on. */
  subscribe(
    contracts: readonly FeedContract[],
    lines: ReadonlyMap<string, Line>,
  ): readonly FeedMessage[];
  /** `lines`: as for `subscribe`, where the venue wants a dialogue before it. `venueNow`: the venue's time, estimated. */
  reader(
    contracts: readonly FeedContract[],
    lines: ReadonlyMap<string, Line>,
    venueNow: EpochNs,
  ): VenueReader;
  line(options: LineOptions): Line;
  /** Null: the venue has no pages. */
  page: ((contract: FeedContract, wish: PageWish) => PageRequest) | null;
  readPage(contract: FeedContract, wish: PageWish, answer: PageAnswer): PageOutcome;
  /** What the venue has counted of its request limit in its present window; null: the answer does not say. */
  usedUnits?(answer: PageAnswer): number | null;
}

export type ConnectionState =
  | 'waiting'
  | 'connecting'
  | 'subscribing'
  | 'joining'
  | 'backfilling'
  | 'live';

/** What happened to a connection. */
export type FeedEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'message'; readonly message: FeedMessage }
  /** `retryAfterMs`: the venue wants no attempt to connect before that. */
  | { readonly kind: 'closed'; readonly why: string; readonly retryAfterMs?: number | null }
  | { readonly kind: 'timer' };

/** What to do with a connection. */
export type FeedAction =
  | { readonly kind: 'connect'; readonly connection: number; readonly address: string }
  | { readonly kind: 'send'; readonly connection: number; readonly message: FeedMessage }
  | { readonly kind: 'close'; readonly connection: number }
  | { readonly kind: 'request'; readonly id: number; readonly request: PageRequest };
