/**
 * The cursor floors that all nodes of a cluster know; they are part of the tape's book, among its records. A node shows
 * nothing that follows a book on the tape before its main thread applies the floors in it. So wherever a cursor is
 * issued or resumed, everything agreed before its trades is known. The appending node writes the agreement of the
 * nodes, and the past days still to be added to the tape.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Clock } from '../../platform/clock.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import type { SharedTape } from '../../tape/shared/shared-tape.ts';
import type { LeadTerm } from '../../tape/shared/shared-tape-options.ts';
import type { TapeBook } from '../../tape/stream/tape-book.ts';
import { withAgreed } from '../../topics/agreed-computations.ts';
import { type DayToCome, isComing, withSettled } from '../../topics/days-to-come.ts';
import {
  type Computations,
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
  type TapeEnd,
} from '../../topics/epoch-floors.ts';
import type { FromIngest, NewestDays, TapeSpread } from '../ingest/ingest-wire.ts';
import { DaysAhead, READ_LOOKS_MAX } from './days-ahead.ts';

/** How often the appending node checks whether the nodes have the days to come. */
const LOOK_MS = 1_000;

export interface SharedFloorsOptions {
  readonly tape: Pick<
    SharedTape,
    'book' | 'bookNumber' | 'missingDays' | 'publisher' | 'setFloors'
  >;
  readonly clock: Pick<Clock, 'now' | 'after' | 'every'>;
  readonly send: (news: FromIngest) => void;
  /** The contracts listed on a day. */
  readonly listed: (day: UtcDay) => readonly string[];
}

/** A term in which this node appends. */
interface Term extends Pick<LeadTerm, 'bookChanged' | 'signal'> {
  readonly days: DaysAhead;
  writing: Promise<void> | null;
}

export class SharedFloors implements Disposable {
  readonly #options: SharedFloorsOptions;
  #term: Term | null = null;
  /** What the live nodes compute; empty until known. */
  #agreed: Computations = {};
  #told: string | null = null;
  #missingSent: NewestDays = {};
  /** Pending until the main thread applies the newest floors that were sent. */
  #holding: PromiseWithResolvers<void> | null = null;
  #isOver = false;

  /** Sends the floors of the newest book at once: the stream may not repeat that book. */
  constructor(options: SharedFloorsOptions) {
    this.#options = options;
    void this.tell(options.tape.book);
  }

  /** Resolves when the main thread applies the floors of a book, which is the newest. */
  async tell({ floors }: Pick<TapeBook, 'floors'>): Promise<void> {
    if (this.#isOver) return;
    this.sendMissing();
    if (floors === null || floors === this.#told) return;
    this.#told = floors;
    this.#holding ??= Promise.withResolvers();
    this.#options.send({ t: 'floors', text: floors });
    await this.#holding.promise;
  }

  /** Sends the days that other nodes have and this one is missing, after a change. */
  sendMissing(): void {
    const epochs = this.#epochs();
    const newest: Record<string, UtcDay> = {};
    for (const part of this.#options.tape.missingDays) {
      if (!isComing(epochs, part)) newest[part.symbol] ??= part.day;
    }
    if (JSON.stringify(newest) === JSON.stringify(this.#missingSent)) return;
    this.#missingSent = newest;
    this.#options.send({ t: 'days-missing', newest });
  }

  hold(text: string): void {
    if (text === this.#told) this.#release();
  }

  agree(computations: Computations): void {
    this.#agreed = computations;
    this.#writeSoon();
  }

  heard(spread: TapeSpread): void {
    if (this.#term !== null) this.#term.days.spread = spread;
  }

  /** This node appends until the term is over; it may be over already, by another node's claim or a stop. */
  async lead({ bookChanged, signal }: Pick<LeadTerm, 'bookChanged' | 'signal'>): Promise<void> {
    if (signal.aborted) return;
    const term: Term = { bookChanged, signal, days: new DaysAhead(), writing: null };
    this.#term = term;
    const looking = this.#options.clock.every(LOOK_MS, () => this.#look(term));
    signal.addEventListener('abort', () => {
      looking[Symbol.dispose]();
      if (this.#term === term) this.#term = null;
    });
    await this.#write(term);
  }

  /** Announces past days that will be added to the tape: nodes that read the book resume nothing across them. */
  async name(days: readonly DayToCome[]): Promise<void> {
    const term = this.#term;
    if (days.length === 0 || term === null) return;
    using _naming = term.days.name(days);
    await this.#write(term);
  }

  /** Resolves when all nodes have read the newest book or no longer resume anything, and when the term is over. */
  async allHaveRead(): Promise<void> {
    const { clock, tape } = this.#options;
    const term = this.#term;
    const number = tape.bookNumber;
    if (term === null || this.#epochs().coming === undefined) return;
    for (let looks = 0; looks < READ_LOOKS_MAX && term.days.spread.read < number; looks += 1) {
      if (term.signal.aborted) return;
      await sleep(clock, LOOK_MS, term.signal);
    }
  }

  made(): void {
    this.#term?.days.made();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#release();
  }

  #release(): void {
    this.#holding?.resolve();
    this.#holding = null;
  }

  #look(term: Term): void {
    const { book, bookNumber: number } = this.#options.tape;
    term.days.look(this.#epochs(), { book, number });
    this.#writeSoon();
  }

  #writeSoon(): void {
    const term = this.#term;
    if (term === null) return;
    this.#write(term).catch((error: unknown) => {
      const what = 'the oldest valid cursors could not be published';
      if (!term.signal.aborted) this.#options.send({ t: 'fault', what, error });
    });
  }

  /** Writes until the newest book holds everything, including changes made meanwhile. */
  async #write(term: Term): Promise<void> {
    if (term.writing === null && this.#next(term) !== null) term.writing = this.#writeAll(term);
    await term.writing;
  }

  async #writeAll(term: Term): Promise<void> {
    try {
      for (let next = this.#next(term); next !== null; next = this.#next(term)) {
        this.#options.tape.setFloors(next);
        await term.bookChanged();
        if (term.signal.aborted) return;
      }
    } finally {
      term.writing = null;
    }
  }

  #next({ days }: Term): string | null {
    const { tape, clock, listed } = this.#options;
    const before = this.#epochs();
    const live = tape.publisher.days.at(-1);
    const day = live?.day ?? dayOf(clock.now());
    const endOf = (symbol: string): TapeEnd => {
      return { day, rank: (live?.find(symbol)?.count ?? 0) as Rank };
    };
    const ends = listed(day).map((symbol) => [symbol, endOf(symbol)] as const);
    const agreed = withAgreed(before, this.#agreed, new Map(ends));
    const after = days.next(withSettled(agreed, endOf));
    return after === before ? null : formatEpochs(after);
  }

  #epochs(): StreamEpochs {
    const { floors } = this.#options.tape.book;
    const known = floors === null ? null : parseEpochs(floors, Object.keys(this.#agreed));
    return known ?? { computations: {}, floors: [] };
  }
}
