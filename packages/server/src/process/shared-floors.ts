/**
 * Floors of cursors that all nodes of a cluster know: they stand in the book of the tape, among its records. A node shows nothing
 * of the tape that stands behind a book before the main thread holds to the floors in it, so wherever a cursor is issued or
 * resumed, everything is known that was agreed on before its trades. Who appends writes down what the nodes agree on.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Clock } from '../platform/clock.ts';
import type { SharedTape } from '../tape/shared/shared-tape.ts';
import type { LeadTerm } from '../tape/shared/shared-tape-options.ts';
import type { TapeBook } from '../tape/stream/tape-book.ts';
import { withAgreed } from '../topics/agreed-computations.ts';
import { type Computations, formatEpochs, parseEpochs } from '../topics/epoch-floors.ts';
import type { FromIngest } from './ingest-wire.ts';

export interface SharedFloorsOptions {
  readonly tape: Pick<SharedTape, 'book' | 'publisher' | 'setFloors'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly send: (news: FromIngest) => void;
  /** The contracts of a day. */
  readonly listed: (day: UtcDay) => readonly string[];
}

export class SharedFloors implements Disposable {
  readonly #options: SharedFloorsOptions;
  /** While this node appends. */
  #term: Pick<LeadTerm, 'bookChanged' | 'signal'> | null = null;
  /** What the nodes alive compute, once that is known. */
  #agreed: Computations = {};
  #told: string | null = null;
  /** Until the main thread holds to what it was told last. */
  #holding: PromiseWithResolvers<void> | null = null;
  #isOver = false;

  /** What the newest book says is told at once: the stream may not say it again. */
  constructor(options: SharedFloorsOptions) {
    this.#options = options;
    void this.tell(options.tape.book);
  }

  /** Resolves when the main thread holds to what a book says. */
  async tell({ floors }: Pick<TapeBook, 'floors'>): Promise<void> {
    if (floors === null || floors === this.#told || this.#isOver) return;
    this.#told = floors;
    this.#holding ??= Promise.withResolvers();
    this.#options.send({ t: 'floors', text: floors });
    await this.#holding.promise;
  }

  /** The main thread holds to these. */
  hold(text: string): void {
    if (text === this.#told) this.#release();
  }

  /** What the nodes alive compute. */
  agree(computations: Computations): void {
    this.#agreed = computations;
    if (this.#term === null) return;
    const { signal } = this.#term;
    this.#write(this.#term).catch((error: unknown) => {
      const what = 'floors of cursors could not be told';
      if (!signal.aborted) this.#options.send({ t: 'fault', what, error });
    });
  }

  /** This node appends from now on, until the term is over. */
  async lead(term: Pick<LeadTerm, 'bookChanged' | 'signal'>): Promise<void> {
    this.#term = term;
    term.signal.addEventListener('abort', () => {
      if (this.#term === term) this.#term = null;
    });
    await this.#write(term);
  }

  /** Nobody waits any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#release();
  }

  #release(): void {
    this.#holding?.resolve();
    this.#holding = null;
  }

  /** Until the book says it all. */
  async #write({ bookChanged, signal }: Pick<LeadTerm, 'bookChanged' | 'signal'>): Promise<void> {
    for (let next = this.#next(); next !== null && !signal.aborted; next = this.#next()) {
      this.#options.tape.setFloors(next);
      await bookChanged();
    }
  }

  /** What the next book has to say; null where the newest one says it. */
  #next(): string | null {
    const { tape, clock, listed } = this.#options;
    const { book, publisher } = tape;
    const known = book.floors === null ? null : parseEpochs(book.floors, Object.keys(this.#agreed));
    const before = known ?? { computations: {}, floors: [] };
    const live = publisher.days.at(-1);
    const day = live?.day ?? dayOf(clock.now());
    const ends = listed(day).map((symbol) => {
      const rank = (live?.find(symbol)?.count ?? 0) as Rank;
      return [symbol, { day, rank }] as const;
    });
    const after = withAgreed(before, this.#agreed, new Map(ends));
    return after === before ? null : formatEpochs(after);
  }
}
