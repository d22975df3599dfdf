/**
 * The past days still to be added to the tape, as the appending node tracks them for one term: which it is about to
 * name, and which the nodes have. It waits for slow nodes, but not forever. A node that is missing a settled day shows
 * nothing that depends on it (`topics/days-to-come.ts`), so correctness does not depend on knowing which nodes are
 * alive.
 */

import type { TapeBook } from '../../tape/stream/tape-book.ts';
import { type DayToCome, daysOf, withComing, withSettling } from '../../topics/days-to-come.ts';
import type { StreamEpochs } from '../../topics/epoch-floors.ts';
import type { TapeSpread } from '../ingest/ingest-wire.ts';

/** At one look a second: a node that has not read a book by then is out of reach and resumes nothing. */
export const READ_LOOKS_MAX = 20;
/** By then every node has fetched a listed day, or shows nothing that depends on it. */
const HAVE_LOOKS_MAX = 120;

const NOBODY_KNOWN: TapeSpread = { read: 0, have: 0 };

export interface BookSeen {
  readonly book: Pick<TapeBook, 'days' | 'keptFrom'>;
  readonly number: number;
}

/** Days whose arrival is awaited together. */
interface Waiting {
  readonly days: readonly DayToCome[];
  readonly number: number;
  looks: number;
}

export class DaysAhead {
  /** How far all nodes have come, as last reported. */
  spread: TapeSpread = NOBODY_KNOWN;
  #toName: readonly DayToCome[] = [];
  #toSettle: readonly DayToCome[] = [];
  #waiting: Waiting | null = null;
  /** Looks since the last day was generated; null while days are still to be generated. */
  #looksSinceMade: number | null = null;

  /** These days are named in every book until the result is disposed of. */
  name(days: readonly DayToCome[]): Disposable {
    this.#toName = days;
    return {
      [Symbol.dispose]: () => {
        this.#toName = [];
      },
    };
  }

  made(): void {
    this.#looksSinceMade = 0;
  }

  /** The epochs of the next book; `before` holds those of the newest. */
  next(before: StreamEpochs): StreamEpochs {
    return withSettling(withComing(before, this.#toName), this.#toSettle);
  }

  /** Called once a second. */
  look({ coming }: StreamEpochs, seen: BookSeen): void {
    if (this.#looksSinceMade !== null) this.#looksSinceMade += 1;
    if (this.#waiting === null) {
      const days = daysOf(coming).filter((it) => this.#isThere(it, seen));
      if (days.length > 0) this.#waiting = { days, number: seen.number, looks: 0 };
      return;
    }
    this.#waiting.looks += 1;
    const { days, number, looks } = this.#waiting;
    const haveAll = number > 0 && this.spread.have >= number;
    if (!haveAll && looks < HAVE_LOOKS_MAX) return;
    this.#toSettle = days;
    this.#waiting = null;
  }

  /** Whether a day is available, or will never be. */
  #isThere({ symbol, day }: DayToCome, { book }: BookSeen): boolean {
    if (book.days[symbol]?.[day] !== undefined) return true;
    if (day < (book.keptFrom[symbol] ?? 0)) return true;
    return (this.#looksSinceMade ?? 0) >= HAVE_LOOKS_MAX;
  }
}
