/**
 * What the node that appends knows of days that come behind the tape, for one term: which it is about to name, and which the
 * nodes have. It waits for nodes that are slow, and never for ever: one that lacks a day when that is settled shows nothing
 * that the day matters to (`topics/days-to-come.ts`), so nothing depends on who is thought to be alive.
 */

import type { TapeBook } from '../../tape/stream/tape-book.ts';
import { type DayToCome, daysOf, withComing, withSettling } from '../../topics/days-to-come.ts';
import type { StreamEpochs } from '../../topics/epoch-floors.ts';
import type { TapeSpread } from '../ingest/ingest-wire.ts';

/** A look is taken every second. A node that has not read a book by then is out of reach, says so, and resumes nothing. */
export const READ_LOOKS_MAX = 20;
/** By then every node has fetched a day that is listed, or does without what the day matters to. */
const HAVE_LOOKS_MAX = 120;

const NOBODY_KNOWN: TapeSpread = { read: 0, have: 0 };

/** What was said by the newest book. */
export interface BookSeen {
  readonly book: Pick<TapeBook, 'days' | 'keptFrom'>;
  readonly number: number;
}

/** Days that are waited for together. */
interface Waiting {
  readonly days: readonly DayToCome[];
  /** The book that lists them. */
  readonly number: number;
  looks: number;
}

export class DaysAhead {
  /** How far all nodes have come, as was last heard. */
  spread: TapeSpread = NOBODY_KNOWN;
  #toName: readonly DayToCome[] = [];
  #toSettle: readonly DayToCome[] = [];
  #waiting: Waiting | null = null;
  /** Looks since the last day was made; null while some are to be. */
  #looksSinceMade: number | null = null;

  /** These are named from the next book on, until that is stored. */
  name(days: readonly DayToCome[]): Disposable {
    this.#toName = days;
    return {
      [Symbol.dispose]: () => {
        this.#toName = [];
      },
    };
  }

  /** This node makes no more days. */
  made(): void {
    this.#looksSinceMade = 0;
  }

  /** What the next book has to say, where `before` is what the newest one says. */
  next(before: StreamEpochs): StreamEpochs {
    return withSettling(withComing(before, this.#toName), this.#toSettle);
  }

  /** Once a second. */
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

  /** Whether it can be had, or never will. */
  #isThere({ symbol, day }: DayToCome, { book }: BookSeen): boolean {
    if (book.days[symbol]?.[day] !== undefined) return true;
    if (day < (book.keptFrom[symbol] ?? 0)) return true;
    return (this.#looksSinceMade ?? 0) >= HAVE_LOOKS_MAX;
  }
}
