/**
 * The session book of a calendar: its resolved sessions, stored with the tape, because session edges are an input of
 * every study (rule DET-01). An opened session never changes, and none appears or disappears before `now`, whatever
 * happens to the calendar, its rules or the time zone database. Sessions that have not opened follow the calendar.
 */

import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays } from '../utc-day.ts';
import type { Calendar } from './calendar.ts';
import { resolveAllSessions } from './resolve-sessions.ts';
import type { Session, SessionKind, SessionTable } from './session.ts';
import { createSessionTable } from './session-table.ts';

/** Sessions with trading dates from `from` to `to`, inclusive; each kind disjoint and ascending. */
export interface SessionBook extends Readonly<Record<SessionKind, readonly Session[]>> {
  readonly version: 1;
  readonly calendar: string;
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/**
 * The book extended to [fromDate, toDate], including dates between the old range and the new one. Sessions that have
 * not opened at `now` follow the calendar.
 */
export function extendSessionBook(
  book: SessionBook | null,
  calendar: Calendar,
  fromDate: UtcDay,
  toDate: UtcDay,
  now: EpochNs,
): SessionBook {
  if (fromDate > toDate) throw new RangeError(`no dates from ${fromDate} to ${toDate}`);
  if (book !== null && book.calendar !== calendar.name) {
    throw new RangeError(`the session book is of ${book.calendar}, not of ${calendar.name}`);
  }
  const from = book !== null && book.from < fromDate ? book.from : fromDate;
  const to = book !== null && book.to > toDate ? book.to : toDate;
  const resolved = resolveAllSessions(calendar, from, to);
  const sessions = (kind: SessionKind): readonly Session[] => {
    if (book === null) return resolved[kind];
    // Regular hours are part of their trading day, so they are fixed as soon as it opens.
    const opened = kind === 'rth' ? book.full.filter(({ open }) => open <= now) : [];
    const decided = new Set(opened.map(({ date }) => date));
    return merge(book, book[kind], resolved[kind], now, decided);
  };
  return {
    version: 1,
    calendar: calendar.name,
    from,
    to,
    full: sessions('full'),
    rth: sessions('rth'),
    utc: sessions('utc'),
  };
}

/**
 * The book, with the sessions of `other` on the dates that the book does not know. If dates lie between the two, the
 * book stays as it is: nobody has resolved those.
 */
export function joinSessionBooks(book: SessionBook, other: SessionBook): SessionBook {
  if (other.calendar !== book.calendar) {
    throw new RangeError(`the session book is of ${other.calendar}, not of ${book.calendar}`);
  }
  const isApart = other.to < addDays(book.from, -1) || other.from > addDays(book.to, 1);
  if (isApart) return book;
  const sessions = (kind: SessionKind): readonly Session[] => [
    ...beforeBook(other[kind], book, book[kind][0]),
    ...book[kind],
    ...afterBook(other[kind], book, book[kind].at(-1)),
  ];
  return {
    version: 1,
    calendar: book.calendar,
    from: other.from < book.from ? other.from : book.from,
    to: other.to > book.to ? other.to : book.to,
    full: sessions('full'),
    rth: sessions('rth'),
    utc: sessions('utc'),
  };
}

/** The sessions of one kind; those of kind `full` carry the regular hours of their date. */
export function sessionTable(book: SessionBook, kind: SessionKind): SessionTable {
  if (kind !== 'full') return createSessionTable(book[kind]);
  const regularByDate = new Map(book.rth.map(({ date, open, close }) => [date, { open, close }]));
  return createSessionTable(
    book.full.map((session) => {
      const regular = regularByDate.get(session.date);
      return regular === undefined ? session : { ...session, regular };
    }),
  );
}

/** Sessions of dates before the book; where hours were edited since, one that overlaps the book's is shortened. */
function beforeBook(
  sessions: readonly Session[],
  { from }: SessionBook,
  first: Session | undefined,
): readonly Session[] {
  const before = sessions.filter(({ date }) => date < from);
  if (first === undefined) return before;
  return before.flatMap((one) => {
    if (one.close <= first.open) return [one];
    return one.open < first.open ? [{ ...one, close: first.open }] : [];
  });
}

function afterBook(
  sessions: readonly Session[],
  { to }: SessionBook,
  last: Session | undefined,
): readonly Session[] {
  const after = sessions.filter(({ date }) => date > to);
  if (last === undefined) return after;
  return after.flatMap((one) => {
    if (one.open >= last.close) return [one];
    return one.close > last.close ? [{ ...one, open: last.close }] : [];
  });
}

function merge(
  range: { readonly from: UtcDay; readonly to: UtcDay },
  kept: readonly Session[],
  resolved: readonly Session[],
  now: EpochNs,
  decided: ReadonlySet<UtcDay>,
): Session[] {
  const keptByDate = new Map(kept.map((session) => [session.date, session]));
  const resolvedByDate = new Map(resolved.map((session) => [session.date, session]));
  const isKnown = (date: UtcDay) => range.from <= date && date <= range.to;
  // A date is fixed once its session has opened, in the book or by the calendar. The one in the book may have been
  // used; a new one that opens in the past would change trades that were outside of it.
  const isDecided = (date: UtcDay) => {
    if (decided.has(date)) return true;
    const before = keptByDate.get(date);
    const after = resolvedByDate.get(date);
    return isKnown(date) && ((before && before.open <= now) || (after && after.open <= now));
  };
  const dates = [...new Set([...keptByDate.keys(), ...resolvedByDate.keys()])];
  const merged: Session[] = [];
  for (const date of dates.sort((a, b) => a - b)) {
    const session = (isDecided(date) ? keptByDate : resolvedByDate).get(date);
    if (session === undefined) continue;
    append(merged, session, decided.has(date) || (isKnown(date) && session.open <= now));
  }
  return merged;
}

/** After an edit of hours, neighbours may overlap. The one that is not fixed is shortened. */
function append(sessions: Session[], session: Session, isFixed: boolean): void {
  const before = sessions.at(-1);
  if (before === undefined || before.close <= session.open) {
    sessions.push(session);
    return;
  }
  if (!isFixed) {
    if (before.close < session.close) sessions.push({ ...session, open: before.close });
    return;
  }
  sessions.pop();
  if (before.open < session.open) sessions.push({ ...before, close: session.open });
  append(sessions, session, isFixed);
}
