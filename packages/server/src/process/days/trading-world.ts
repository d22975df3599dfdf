/**
 * What the main thread knows of contracts and sessions: each market's listing on the day of its tape, and their session
 * books. Each part is replaced as a whole, so every reader sees a consistent set.
 */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { Alias } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type JoinedListing, joinedListing } from '../../markets/joined-listing.ts';
import type { Market } from '../../markets/market.ts';
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

export interface TradingWorldOptions {
  readonly markets: readonly Market[];
  /** The day of every tape until it has entered one. */
  readonly day: UtcDay;
  /** The dataset whose tape gives the time of this one. */
  readonly timeOf: (dataset: string | null) => string;
  readonly books: readonly DatasetBook[];
}

export class TradingWorld {
  #markets: readonly Market[];
  /** The days of tape time, by the dataset that gives the time. */
  readonly #days = new Map<string, UtcDay>();
  readonly #firstDay: UtcDay;
  readonly #timeOf: (dataset: string | null) => string;
  #listing!: JoinedListing;
  #streamed!: ReadonlySet<string>;
  readonly #tables: SessionTables;
  #revision = 0;

  /** Throws a `MarketClashError`. */
  constructor({ markets, day, timeOf, books }: TradingWorldOptions) {
    this.#markets = markets;
    this.#firstDay = day;
    this.#timeOf = timeOf;
    this.#tables = new SessionTables({ contracts: {}, books });
    this.#list();
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
    const meant = ({ alias, dataset }: Alias) => book.resolve(alias, this.#dayOf(dataset))?.symbol;
    const alias = book.allAliases().findLast((one) => this.isStreamed(meant(one) ?? ''));
    const instrument = alias?.alias ?? [...this.#streamed][0] ?? null;
    return { instrument, dataset: instrument === null ? (book.all()[0]?.dataset ?? null) : null };
  }

  datasetOf(symbol: string): string | null {
    return this.#tables.datasetOf(symbol);
  }

  /** The dataset whose tape time is that of an alias or contract. */
  timeOf(instrument: string): string {
    const { book } = this;
    const { dataset = this.datasetOf(instrument) } =
      book.contract(instrument) ?? book.alias(instrument) ?? {};
    return this.#timeOf(dataset);
  }

  sessionsOf(symbol: string, kind: SessionKind): SessionTable {
    return this.#tables.now(symbol, kind);
  }

  /** The time zone of a contract's trading days on this date. */
  timeZoneOf(symbol: string, date: UtcDay): string {
    const { dataset, calendar } = this.#tables.sessions.contracts[symbol]!;
    const market = this.#markets.find((one) => one.dataset === dataset)!;
    const { hours } = market.calendar(calendar);
    const applies = hours.find(({ from = date, to = date }) => from <= date && date <= to);
    return (applies ?? hours.at(-1)!).full.zone;
  }

  fullSessions(symbol: string): SessionTable {
    return this.sessionsOf(symbol, 'full');
  }

  /**
   * The tape of a dataset has entered a new day: contracts expire, others are listed, aliases roll. Throws a
   * `MarketClashError`; the old listing then stays.
   */
  enter(dataset: string, day: UtcDay): void {
    const before = this.#days.get(dataset);
    this.#days.set(dataset, day);
    try {
      this.#list();
    } catch (error) {
      if (before === undefined) this.#days.delete(dataset);
      else this.#days.set(dataset, before);
      throw error;
    }
  }

  #dayOf(dataset: string): UtcDay {
    return this.#days.get(this.#timeOf(dataset)) ?? this.#firstDay;
  }

  #list(): void {
    this.#listing = joinedListing(this.#markets, (dataset) => this.#dayOf(dataset));
    this.#revision += 1;
    this.#streamed = new Set(this.#listing.streamed.map(({ symbol }) => symbol));
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
    this.#list();
  }

  replaceBooks(dataset: string, books: readonly SessionBook[]): void {
    this.#revision += 1;
    const { contracts, books: before } = this.#tables.sessions;
    const others = before.filter((one) => one.dataset !== dataset);
    const own = books.map((book) => ({ dataset, book }));
    this.#tables.replace({ contracts, books: [...others, ...own] });
  }
}
