/** Trading hours by session books, which grow with the imported days and are saved before a manifest names those. */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import {
  extendSessionBook,
  type SessionBook,
  sessionTable,
} from '@tapeloom/core/calendar/session-book';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import type { DaySpan } from '../tape/tape.ts';
import type { SessionStore } from '../tape/write/session-store.ts';
import { type InstantRange, spansOnDay } from './spans.ts';

/** Look-backs and planned rolls reach less far. */
const AROUND_DAYS = 60;

interface Hours {
  readonly book: SessionBook;
  readonly full: SessionTable;
}

export interface HoursOf {
  readonly store: SessionStore;
  readonly dataset: ListedDataset;
  /** Whether the writer of a live tape extends the dataset's books too. */
  readonly isLive: boolean;
  readonly now: EpochNs;
}

export class SessionHours {
  readonly #store: SessionStore;
  readonly #isLive: boolean;
  readonly #dataset: ListedDataset;
  readonly #now: EpochNs;
  readonly #byCalendar = new Map<string, Hours>();
  readonly #unsaved = new Set<string>();

  constructor({ store, dataset, isLive, now }: HoursOf) {
    this.#store = store;
    this.#dataset = dataset;
    this.#isLive = isLive;
    this.#now = now;
  }

  /** The market's open hours on a day, during the contract's life. */
  async openOn({ calendar, expiresAt }: Contract, day: UtcDay): Promise<readonly DaySpan[]> {
    const { full } = await this.#hoursOf(calendar, day);
    const end = epochNs(addDays(day, 1), 0);
    const open: InstantRange[] = [];
    let session = full.atOrAfter(epochNs(day, 0));
    while (session !== null && session.open < end && session.open < expiresAt) {
      const to = session.close < expiresAt ? session.close : expiresAt;
      open.push({ from: session.open, to });
      session = full.atOrAfter(session.close);
    }
    return spansOnDay(open, day);
  }

  /** All extended books are on disk when this resolves. */
  async save(): Promise<void> {
    for (const calendar of this.#unsaved) {
      const { book } = this.#byCalendar.get(calendar)!;
      if (this.#isLive) await this.#store.saveImported(book);
      else await this.#store.save(book);
    }
    this.#unsaved.clear();
  }

  async #hoursOf(calendar: string, day: UtcDay): Promise<Hours> {
    const [from, to] = [addDays(day, -AROUND_DAYS), addDays(day, AROUND_DAYS)];
    const known = this.#byCalendar.get(calendar);
    if (known !== undefined && known.book.from <= from && known.book.to >= to) return known;
    const before = known?.book ?? (await this.#store.load(calendar));
    const isEnough = before !== null && before.from <= from && before.to >= to;
    const rules = this.#dataset.calendars.find(({ name }) => name === calendar)!;
    // Extended in larger steps, because days usually come in sequence, and a longer book resolves the same sessions.
    const book = isEnough
      ? before
      : extendSessionBook(before, rules, from, addDays(to, AROUND_DAYS), this.#now);
    const hours = { book, full: sessionTable(book, 'full') };
    this.#byCalendar.set(calendar, hours);
    if (!isEnough) this.#unsaved.add(calendar);
    return hours;
  }
}
