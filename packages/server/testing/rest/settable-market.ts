/** The simulated market for the routes, in any state that a test sets. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { EngineState } from '@tapeloom/protocol/status-states';
import type { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { createSimUniverse } from '../../src/markets/sim/sim-universe.ts';
import type { RestMarket } from '../../src/process/doors/rest-door.ts';

export class SettableMarket {
  engine: EngineState = 'up';
  isSourceUp = true;
  lastTrades = new Map<string, EpochNs>();
  /** The tape's watermark; null: not known yet. */
  tapeTime: EpochNs | null = null;
  readonly book: InstrumentBook;
  readonly #clock: ManualClock;
  readonly #universe;
  readonly #sessions = new Map<string, SessionTable>();

  /** `book`: the instruments; default: the simulated ones. */
  constructor(clock: ManualClock, book?: InstrumentBook) {
    this.#clock = clock;
    this.#universe = createSimUniverse({ seed: 1, printsScale: 0.01 }, dayOf(clock.now()));
    this.book = book ?? this.#universe.book;
  }

  /** The market for the routes. */
  get facts(): RestMarket {
    let asked = 0;
    return {
      book: () => this.book,
      isStreamed: (symbol) => this.#isStreamed(symbol),
      servedDays: () => new Map(),
      fullSessions: (symbol) => this.sessionsOf(symbol, 'full'),
      timeZoneOf: (symbol) => this.#calendarOf(symbol).hours[0]!.full.zone,
      lastTradeAt: (symbol) => this.lastTrades.get(symbol) ?? null,
      // Always new: tests may change the market at any time.
      revision: () => ++asked,
      engineState: () => this.engine,
      isSourceUp: () => this.isSourceUp,
      isFed: () => true,
      tapeTime: () => this.tapeTime,
      requestWatermark: () => {},
      tapeDay: () => null,
    };
  }

  sessionsOf(symbol: string, kind: SessionKind): SessionTable {
    const { calendar } = this.book.contract(symbol)!;
    return this.#sessions.getOrInsertComputed(`${calendar} ${kind}`, () => {
      const now = this.#clock.now();
      const [first, last] = [addDays(dayOf(now), -100), addDays(dayOf(now), 60)];
      const book = extendSessionBook(null, this.#calendarOf(symbol), first, last, now);
      return sessionTable(book, kind);
    });
  }

  #calendarOf(symbol: string): Calendar {
    return calendarNamed(this.book.contract(symbol)!.calendar);
  }

  #isStreamed(symbol: string): boolean {
    const streamed = this.#universe.streamedOn(dayOf(this.#clock.now()));
    return streamed.some((contract) => contract.symbol === symbol);
  }
}
