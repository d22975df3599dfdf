/** A day that is not sealed yet: every contract its log has named, with all rows and notes that are on disk. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { LiveColumns } from './live-columns.ts';
import type { Commit, OpeningContract } from './write/log/log-payload.ts';
import { KeptNotes } from './write/notes/kept-notes.ts';
import type { LoggedNote } from './write/notes/logged-note.ts';

/** The part of an opening that rows in memory need. */
export interface OpenedDay {
  readonly day: UtcDay;
  readonly contracts: readonly Pick<OpeningContract, 'symbol' | 'highestId'>[];
  readonly notes: readonly LoggedNote[];
}

export class LiveDay {
  readonly day: UtcDay;
  readonly notes: KeptNotes;
  readonly #bySymbol = new Map<string, LiveColumns>();
  readonly #byIndex: LiveColumns[] = [];

  constructor({ day, contracts, notes }: OpenedDay) {
    this.day = day;
    this.notes = new KeptNotes(notes);
    for (const { symbol, highestId } of contracts) this.add(symbol, highestId);
  }

  get columns(): readonly LiveColumns[] {
    return this.#byIndex;
  }

  get trades(): number {
    return this.#byIndex.reduce((trades, columns) => trades + columns.count, 0);
  }

  find(symbol: string): LiveColumns | null {
    return this.#bySymbol.get(symbol) ?? null;
  }

  /** Adds the rows and notes of a commit that is on disk; returns the contracts that grew. */
  apply(commit: Commit): readonly LiveColumns[] {
    for (const { symbol } of commit.contracts) this.add(symbol, -1);
    if (commit.notes.length > 0) this.notes.apply(commit.notes);
    return commit.sections.map((section) => {
      const columns = this.#byIndex[section.index]!;
      columns.append(section);
      return columns;
    });
  }

  /** Adds a contract that the day's log names. */
  add(symbol: string, highestId: number): LiveColumns {
    const columns = new LiveColumns(symbol, highestId);
    this.#bySymbol.set(symbol, columns);
    this.#byIndex.push(columns);
    return columns;
  }
}
