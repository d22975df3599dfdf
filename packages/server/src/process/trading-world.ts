/**
 * What the main thread knows of contracts and sessions: what is listed on the tape's day, and
 * the session books that the ingest thread keeps. Both are replaced whole, so every look is consistent.
 */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Market, MarketListing } from '../markets/market.ts';
import { SessionTables, type TradingSessions } from '../runs/session-tables.ts';

export class TradingWorld {
  readonly #market: Market;
  #listing!: MarketListing;
  #streamed!: ReadonlySet<string>;
  readonly #tables: SessionTables;
  #revision = 0;

  constructor(market: Market, day: UtcDay, books: readonly SessionBook[]) {
    this.#market = market;
    this.#tables = new SessionTables({ calendars: {}, books });
    this.enter(day);
  }

  get book(): InstrumentBook {
    return this.#listing.book;
  }

  /** Another after every change of contracts or sessions. */
  get revision(): number {
    return this.#revision;
  }

  get tradingSessions(): TradingSessions {
    return this.#tables.sessions;
  }

  isStreamed(symbol: string): boolean {
    return this.#streamed.has(symbol);
  }

  sessionsOf(symbol: string, kind: SessionKind): SessionTable {
    return this.#tables.now(symbol, kind);
  }

  fullSessions(symbol: string): SessionTable {
    return this.sessionsOf(symbol, 'full');
  }

  /** The tape has come to a new day: contracts expire, others are listed, aliases roll. */
  enter(day: UtcDay): void {
    this.#revision += 1;
    this.#listing = this.#market.listing(day);
    this.#streamed = new Set(this.#listing.streamedOn(day).map(({ symbol }) => symbol));
    // Contracts that have left the list may still be computed for those who follow them.
    const { calendars, books } = this.#tables.sessions;
    const listed = this.#listing.contracts.map(({ symbol, calendar }) => [symbol, calendar]);
    this.#tables.replace({ calendars: { ...calendars, ...Object.fromEntries(listed) }, books });
  }

  replaceBooks(books: readonly SessionBook[]): void {
    this.#revision += 1;
    this.#tables.replace({ ...this.#tables.sessions, books });
  }
}
