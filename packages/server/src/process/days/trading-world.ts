/**
 * What the main thread knows of contracts and sessions: the markets' listings on the tape's day, and their session
 * books. Each part is replaced as a whole, so every reader sees a consistent set.
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

/** `dataset` is set if no instrument can be streamed. */
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

  /** Changes with every change of contracts or sessions. */
  get revision(): number {
    return this.#revision;
  }

  get tradingSessions(): TradingSessions {
    return this.#tables.sessions;
  }

  isStreamed(symbol: string): boolean {
    return this.#streamed.has(symbol);
  }

  /** An example to try: the last alias that can be streamed, or else a contract, or else a dataset with history. */
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

  /** The tape has entered a new day: contracts expire, others are listed, aliases roll. Throws a `MarketClashError`. */
  enter(day: UtcDay): void {
    this.#listing = joinedListing(this.#markets, day);
    this.#day = day;
    this.#revision += 1;
    this.#streamed = new Set(this.#listing.streamedOn(day).map(({ symbol }) => symbol));
    // Delisted contracts may still be computed for their subscribers.
    const { contracts, books } = this.#tables.sessions;
    const listed = this.#listing.contracts.map(({ symbol, dataset, calendar }) => {
      return [symbol, { dataset, calendar }] as const;
    });
    this.#tables.replace({ contracts: { ...contracts, ...Object.fromEntries(listed) }, books });
  }

  /** Replaces the market of a dataset: an import may have changed its days and its rolls. */
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
