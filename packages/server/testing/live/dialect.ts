/**
 * How a venue speaks: its side of the protocol, without sockets and a clock. The simulated venue of the properties and
 * the local server over real sockets use the same one.
 */

import type { FeedMessage, PageAnswer, PageRequest, Venue } from '../../src/markets/live/feed.ts';

/** A trade at the simulated venue. */
export interface SimTrade {
  /** 1, 2, 3 … within its contract, from a first number on. */
  readonly id: number;
  readonly ms: number;
  readonly price: string;
  readonly size: string;
  readonly isBuy: boolean;
  /** The kind of a print that is no order flow. */
  readonly leftOut?: string;
}

/** The trades that a contract has had, ascending. */
export type SimTrades = (venueSymbol: string) => readonly SimTrade[];

/** What a client's message asks for. */
export interface DialectAnswer {
  /** Sent back at once. */
  readonly replies: readonly FeedMessage[];
  /** These contracts are delivered from now on; with `fromMs` what they traded since then comes first. */
  readonly subscribed?: readonly string[];
  readonly fromMs?: number;
  /** The server ends the connection behind its replies. */
  readonly isEnd?: boolean;
}

/** One connection of a client. */
export interface DialectSession {
  /** What the server says first. */
  opened(nowMs: number): readonly FeedMessage[];
  received(message: FeedMessage, trades: SimTrades, nowMs: number): DialectAnswer;
  /** New trades of a subscribed contract; also those that are repeated. */
  trades(venueSymbol: string, rows: readonly SimTrade[], nowMs: number): readonly FeedMessage[];
  heartbeat(nowMs: number): readonly FeedMessage[];
}

/** A request for past trades, as the venue understands it. */
export interface DialectPage {
  /** The rows that it selects. */
  readonly rows: readonly SimTrade[];
  /** The answer with these of them. */
  answer(rows: readonly SimTrade[]): PageAnswer;
  /** What a venue answers that says how far back it remembers; null: it just selects fewer. */
  readonly forgotten: PageAnswer | null;
}

export interface Dialect {
  /** The adapter that is tested against it. */
  readonly venue: Venue;
  /** The contracts of the tests: their names at the venue and their grid, as decimals. */
  readonly contracts: readonly DialectContract[];
  /** `reconnects`: what is left out within a connection cannot be known. */
  readonly proves: 'everything' | 'reconnects';
  /** Whether the tape has the venue's own numbers. */
  readonly hasNumbers: boolean;
  /** It speaks over plain TCP instead of a WebSocket. */
  readonly isTcp?: boolean;
  /** The kinds of prints that take a number and are no order flow. */
  readonly leftOut?: readonly string[];
  /** `address`: where the client has connected, of which only the path counts. */
  session(address: string): DialectSession;
  /**
   * `trades`: what the venue remembers. Null: it has no such address. Requests of descriptions of contracts come here
   * too; their answer has no rows.
   */
  page(request: PageRequest, trades: SimTrades, nowMs: number): DialectPage | null;
  /** A message that no one can understand. */
  readonly garbage: FeedMessage;
}

export interface DialectContract {
  readonly venueSymbol: string;
  readonly tick: string;
  readonly lot: string;
}
