/**
 * What the main thread knows of contracts and sessions: what its markets list on the tape's day, and their session
 * books. All is replaced whole, so every look is consistent.
 */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { joinedListing } from '../../markets/joined-listing.ts';
import type { Market, MarketListing } from '../../markets/market.ts';
import {
  type DatasetBook,
  SessionTables,
  type TradingSessions,
} from '../../runs/session-tables.ts';

/** `dataset` is said where nothing can be streamed. */
export interface TryExample {
  readonly instrument: string | null;
  readonly dataset: string | null;
}

export class TradingWorld {
  #markets: readonly Market[];
  #day: UtcDay;
  #listing!: MarketListing;
  #streamed!: ReadonlySet<string>;
  readonly #tables: SessionTables;
  #revision = 0;

  /** Throws a `MarketClashError`. */
  constructor(markets: readonly Market[], day: UtcDay, books: readonly DatasetBook[]) {
    this.#markets = markets;
    this.#day = day;
    this.#tables = new SessionTables({ contracts: {}, books });
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

  /** Something to try with: the last alias that can be streamed, or a contract; else a dataset of which the past is there. */
  get example(): TryExample {
    const { book } = this;
    const meant = ({ alias }: { readonly alias: string }) => book.resolve(alias, this.#day)?.symbol;
    const alias = book.allAliases().findLast((one) => this.isStreamed(meant(one) ?? ''));
    const instrument = alias?.alias ?? [...this.#streamed][0] ?? null;
    return { instrument, dataset: instrument === null ? (book.all()[0]?.dataset ?? null) : null };
  }

  datasetOf(symbol: string): string | null {
    return this.#tables.datasetOf(symbol);
  }

  sessionsOf(symbol: string, kind: SessionKind): SessionTable {
    return this.#tables.now(symbol, kind);
  }

  fullSessions(symbol: string): SessionTable {
    return this.sessionsOf(symbol, 'full');
  }

  /** The tape has come to a new day: contracts expire, others are listed, aliases roll. Throws as at its making. */
  enter(day: UtcDay): void {
    this.#listing = joinedListing(this.#markets, day);
    this.#day = day;
    this.#revision += 1;
    this.#streamed = new Set(this.#listing.streamedOn(day).map(({ symbol }) => symbol));
    // Contracts that have left the list may still be computed for those who follow them.
    const { contracts, books } = this.#tables.sessions;
    const listed = this.#listing.contracts.map(({ symbol, dataset, calendar }) => {
      return [symbol, { dataset, calendar }] as const;
    });
    this.#tables.replace({ contracts: { ...contracts, ...Object.fromEntries(listed) }, books });
  }

  /** Volume has decided rolls of this dataset. */
  replaceMarket(market: Market): void {
    this.#markets = this.#markets.map((one) => (one.dataset === market.dataset ? market : one));
    this.enter(this.#day);
  }

  replaceBooks(dataset: string, books: readonly SessionBook[]): void {
    this.#revision += 1;
    const { contracts, books: before } = this.#tables.sessions;
    const others = before.filter((one) => one.dataset !== dataset);
    const own = books.map((book) => ({ dataset, book }));
    this.#tables.replace({ contracts, books: [...others, ...own] });
  }
}
