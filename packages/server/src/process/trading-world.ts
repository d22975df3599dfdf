/**
 * What the main thread knows of contracts and sessions: the simulated universe of the tape's day, and
 * the session books that the ingest thread keeps. Both are replaced whole, so every look is consistent.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { type SessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { EngineSessions } from '../engine/engine-wire.ts';
import type { SimOptions } from '../sources/sim/sim-market.ts';
import { createSimUniverse, type SimUniverse } from '../sources/sim-universe.ts';

export class TradingWorld {
  readonly #sim: SimOptions;
  #universe!: SimUniverse;
  #streamed!: ReadonlySet<string>;
  #calendars!: Readonly<Record<string, string>>;
  #books!: readonly SessionBook[];
  #fullByCalendar!: ReadonlyMap<string, SessionTable>;

  constructor(sim: SimOptions, day: UtcDay, books: readonly SessionBook[]) {
    this.#sim = sim;
    this.enter(day);
    this.replaceBooks(books);
  }

  get book(): InstrumentBook {
    return this.#universe.book;
  }

  get engineSessions(): EngineSessions {
    return { calendars: this.#calendars, books: this.#books };
  }

  isStreamed(symbol: string): boolean {
    return this.#streamed.has(symbol);
  }

  fullSessions(symbol: string): SessionTable {
    const table = this.#fullByCalendar.get(this.#calendars[symbol] ?? '');
    if (table === undefined) throw new RangeError(`no sessions are known for ${symbol}`);
    return table;
  }

  /** The tape has come to a new day: contracts expire, others are listed, aliases roll. */
  enter(day: UtcDay): void {
    this.#universe = createSimUniverse(this.#sim, day);
    this.#streamed = new Set(this.#universe.streamedOn(day).map(({ symbol }) => symbol));
    // Contracts that have left the list may still be computed for those who follow them.
    this.#calendars = Object.fromEntries([
      ...Object.entries(this.#calendars ?? {}),
      ...this.#universe.contracts.map(({ symbol, calendar }) => [symbol, calendar]),
    ]);
  }

  replaceBooks(books: readonly SessionBook[]): void {
    this.#books = books;
    this.#fullByCalendar = new Map(
      books.map((book) => [book.calendar, sessionTable(book, 'full')]),
    );
  }
}
