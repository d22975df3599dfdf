/** The sessions a thread computes with, as tables that keep up with the books, which grow as time goes on. */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { type SessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';

export interface TradingSessions {
  /** Name of the calendar of each contract, by symbol. */
  readonly calendars: Readonly<Record<string, string>>;
  readonly books: readonly SessionBook[];
}

export class SessionTables {
  #sessions: TradingSessions;
  #tables = new Map<string, SessionTable>();

  constructor(sessions: TradingSessions) {
    this.#sessions = sessions;
  }

  /** What they are made of now. */
  get sessions(): TradingSessions {
    return this.#sessions;
  }

  /** Sessions that have opened are the same as before. */
  replace(sessions: TradingSessions): void {
    this.#sessions = sessions;
    this.#tables = new Map();
  }

  /** A table that always asks the newest books; asking throws while the contract's are not known. */
  of(contract: string, kind: SessionKind): SessionTable {
    return {
      atOrAfter: (instant) => this.now(contract, kind).atOrAfter(instant),
      atOrBefore: (instant) => this.now(contract, kind).atOrBefore(instant),
    };
  }

  /** As the books are now. */
  now(contract: string, kind: SessionKind): SessionTable {
    const calendar = this.#sessions.calendars[contract];
    const key = `${calendar} ${kind}`;
    let table = this.#tables.get(key);
    if (table === undefined) {
      const book = this.#sessions.books.find((one) => one.calendar === calendar);
      if (book === undefined) throw new RangeError(`no sessions are known for ${contract}`);
      table = sessionTable(book, kind);
      this.#tables.set(key, table);
    }
    return table;
  }
}
