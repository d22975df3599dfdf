/** The sessions that a thread computes with, as tables that follow the growing session books. */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { type SessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';

export interface TradingSessions {
  /** The dataset and calendar of each contract, by symbol. */
  readonly contracts: Readonly<Record<string, ContractPlace>>;
  readonly books: readonly DatasetBook[];
}

export interface ContractPlace {
  readonly dataset: string;
  /** The calendar's name, which is unique only within the dataset. */
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

  get sessions(): TradingSessions {
    return this.#sessions;
  }

  /** Sessions that have opened must be unchanged. */
  replace(sessions: TradingSessions): void {
    this.#sessions = sessions;
    this.#tables = new Map();
  }

  /** Null for an unknown contract. */
  datasetOf(contract: string): string | null {
    return this.#sessions.contracts[contract]?.dataset ?? null;
  }

  /** A table that always reads the newest books; reading throws while the contract's books are unknown. */
  of(contract: string, kind: SessionKind): SessionTable {
    return {
      atOrAfter: (instant) => this.now(contract, kind).atOrAfter(instant),
      atOrBefore: (instant) => this.now(contract, kind).atOrBefore(instant),
    };
  }

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
