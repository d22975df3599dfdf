/** The sessions a thread computes with, as tables that keep up with the books, which grow as time goes on. */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { type SessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';

export interface TradingSessions {
  /** Where each contract is listed, by symbol. */
  readonly contracts: Readonly<Record<string, ContractPlace>>;
  readonly books: readonly DatasetBook[];
}

export interface ContractPlace {
  readonly dataset: string;
  /** The name of its calendar, which may mean another one in another dataset. */
  readonly calendar: string;
}

export interface DatasetBook {
  readonly dataset: string;
  readonly book: SessionBook;
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

  /** The dataset of a contract; null when that is not known. */
  datasetOf(contract: string): string | null {
    return this.#sessions.contracts[contract]?.dataset ?? null;
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
    const place = this.#sessions.contracts[contract];
    const key = `${place?.dataset} ${place?.calendar} ${kind}`;
    let table = this.#tables.get(key);
    if (table === undefined) {
      const found = this.#sessions.books.find(
        ({ dataset, book }) => dataset === place?.dataset && book.calendar === place.calendar,
      );
      if (found === undefined) throw new RangeError(`no sessions are known for ${contract}`);
      table = sessionTable(found.book, kind);
      this.#tables.set(key, table);
    }
    return table;
  }
}
