import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays, epochNs, utcDay } from '../utc-day.ts';
import type { Calendar, SessionHours } from './calendar.ts';
import { calendarNamed } from './calendars.ts';
import { resolveSessions } from './resolve-sessions.ts';
import { SESSION_KINDS, type Session } from './session.ts';
import {
  extendSessionBook,
  joinSessionBooks,
  type SessionBook,
  sessionTable,
} from './session-book.ts';
import type { LocalTime } from './zoned-instant.ts';

const HOUR_NS = 3_600_000_000_000;
const EQUITY = calendarNamed('cme-equity');
const FIRST = utcDay(20261101);

const at = (day: number, hour: number) => epochNs(utcDay(day), hour * HOUR_NS);
const dates = (sessions: readonly Session[]) => sessions.map((session) => session.date);
const find = (sessions: readonly Session[], date: number) =>
  sessions.find((session) => session.date === date);
const edited = (special: Calendar['special'], base = EQUITY): Calendar => ({
  ...base,
  special: [...special, ...base.special],
});
const openedBy = (full: Partial<SessionHours>): Calendar => {
  const [usual] = EQUITY.hours;
  return { ...EQUITY, hours: [{ ...usual!, full: { ...usual!.full, ...full } }] };
};
const book = (from: number, to: number) =>
  extendSessionBook(null, EQUITY, utcDay(from), utcDay(to), at(from, 0));

function assertDisjoint(sessions: readonly Session[]): void {
  sessions.forEach((session, index) => {
    const before = sessions[index - 1];
    assert.ok(session.open < session.close);
    if (before) assert.ok(before.close <= session.open && before.date < session.date);
  });
}

test('a new book holds what the calendar resolves to, of every kind [DET-01]', () => {
  const fresh = book(20261101, 20261130);
  assert.deepEqual([fresh.calendar, fresh.from, fresh.to], ['cme-equity', 20261101, 20261130]);
  for (const kind of SESSION_KINDS) {
    assert.deepEqual(
      fresh[kind],
      resolveSessions(EQUITY, kind, utcDay(20261101), utcDay(20261130)),
    );
    const [first] = fresh[kind];
    const { regular: _, ...found } = sessionTable(fresh, kind).atOrAfter(0n as EpochNs)!;
    assert.deepEqual(found, first);
  }
});

test('a trading day knows the regular hours inside it, and none where it has none', () => {
  const table = sessionTable(book(20261101, 20261130), 'full');
  const monday = table.atOrAfter(at(20261109, 12))!;
  assert.deepEqual(monday.regular, { open: at(20261109, 14.5), close: at(20261109, 21) });
  const without = edited([{ days: [20261109], close: 'normal', rth: 'none' }]);
  const edit = extendSessionBook(null, without, FIRST, utcDay(20261130), at(20261101, 0));
  assert.equal(sessionTable(edit, 'full').atOrAfter(at(20261109, 12))!.regular, undefined);
});

test('regular hours are decided when their trading day opens [DET-01]', () => {
  const before = book(20261101, 20261130);
  const halfDay = edited([{ days: [20261109, 20261110], close: 'normal', rth: '11:00' }]);
  // The trading day of the 9th opened on the evening of the 8th; that of the 10th has not.
  const after = extendSessionBook(before, halfDay, FIRST, utcDay(20261130), at(20261109, 2));
  assert.equal(find(after.rth, 20261109)!.close, at(20261109, 21));
  assert.equal(find(after.rth, 20261110)!.close, at(20261110, 17));
});

test('a book grows at both ends and fills the gap to a range asked for [DET-01]', () => {
  const middle = book(20261109, 20261113);
  const grown = extendSessionBook(
    middle,
    EQUITY,
    utcDay(20261123),
    utcDay(20261124),
    at(20261111, 0),
  );
  assert.deepEqual([grown.from, grown.to], [20261109, 20261124]);
  const both = extendSessionBook(
    grown,
    EQUITY,
    utcDay(20261102),
    utcDay(20261110),
    at(20261111, 0),
  );
  assert.deepEqual([both.from, both.to], [20261102, 20261124]);
  assert.deepEqual(both, { ...book(20261102, 20261124) });
});

test('an edit of the calendar leaves the open session alone and changes the next [DET-01]', () => {
  const before = book(20261109, 20261113);
  // Edited on Wednesday at 18:00 UTC, in the middle of Wednesday's trading day.
  const calendar = edited([{ days: [20261110, 20261111, 20261112], close: '10:00', rth: 'none' }]);
  const after = extendSessionBook(before, calendar, FIRST, before.to, at(20261111, 18));
  for (const date of [20261109, 20261110, 20261111]) {
    assert.deepEqual(find(after.full, date), find(before.full, date));
    assert.deepEqual(find(after.rth, date), find(before.rth, date));
  }
  assert.equal(find(after.full, 20261112)?.close, at(20261112, 16));
  assert.equal(find(after.rth, 20261112), undefined);
  assert.deepEqual(find(after.full, 20261113), find(before.full, 20261113));
});

test('a session is fixed from the very instant of its open [DET-01]', () => {
  const before = book(20261109, 20261113);
  const open = find(before.full, 20261112)!.open;
  const calendar = edited([{ days: [20261112], close: 'closed' }]);
  const dayEarlier = extendSessionBook(
    before,
    calendar,
    before.from,
    before.to,
    (open - 1n) as EpochNs,
  );
  const tooLate = extendSessionBook(before, calendar, before.from, before.to, open);
  assert.equal(find(dayEarlier.full, 20261112), undefined);
  assert.deepEqual(find(tooLate.full, 20261112), find(before.full, 20261112));
});

test('no session appears or vanishes behind now, but dates that were not kept are added [DET-01]', () => {
  const closed = edited([{ days: [20261110], close: 'closed' }]);
  const before = extendSessionBook(
    null,
    closed,
    utcDay(20261109),
    utcDay(20261113),
    at(20261101, 0),
  );
  const after = extendSessionBook(
    before,
    EQUITY,
    utcDay(20261105),
    utcDay(20261113),
    at(20261112, 0),
  );
  assert.deepEqual(dates(after.full), [20261105, 20261106, 20261109, 20261111, 20261112, 20261113]);
});

test('a session that an edit would open in the past stays as it was kept [DET-01]', () => {
  const before = book(20261109, 20261113);
  const early = openedBy({ open: '16:00' });
  // At 22:30 UTC the stored session opens in half an hour; the edited one opened half an hour ago.
  const after = extendSessionBook(before, early, before.from, before.to, at(20261111, 22.5));
  assert.deepEqual(find(after.full, 20261112), find(before.full, 20261112));
  assert.equal(find(after.full, 20261113)?.open, at(20261112, 22));
});

test('where edited hours would overlap a fixed session, the other one gives way [DET-01]', () => {
  const before = book(20261109, 20261113);
  const shifted = openedBy({
    zone: 'America/Chicago',
    openDayOffset: -1,
    open: '12:00',
    close: '11:30',
  });
  const now = find(before.full, 20261111)!.open;
  const after = extendSessionBook(before, shifted, utcDay(20261104), before.to, now);
  assertDisjoint(after.full);
  assert.deepEqual(find(after.full, 20261111), find(before.full, 20261111));
  assert.equal(find(after.full, 20261112)?.open, find(before.full, 20261111)?.close);
});

test('a book of another calendar or an empty range is refused', () => {
  const kept = book(20261109, 20261113);
  const metals = calendarNamed('cme-metals');
  assert.throws(() => extendSessionBook(kept, metals, FIRST, FIRST, at(20261109, 0)), /cme-metals/);
  assert.throws(() => extendSessionBook(null, EQUITY, utcDay(20261102), FIRST, at(20261101, 0)));
});

/** Calendars whose days end before the next begins. Days of two different ones may overlap. */
const edits: fc.Arbitrary<Calendar> = fc
  .constantFrom<readonly [open: LocalTime, ...closes: LocalTime[]]>(
    ['12:00', '09:00', '11:30'],
    ['16:00', '09:00', '12:15', '15:45'],
    ['18:30', '12:15', '17:00'],
  )
  .chain(([open, ...closes]) => {
    const times = fc.constantFrom(...closes);
    return fc.record({
      open: fc.constant(open),
      close: times,
      days: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }),
      specialClose: fc.oneof(times, fc.constant('closed' as const)),
      rth: fc.oneof(times, fc.constant('none' as const)),
    });
  })
  .map(({ open, close, days, specialClose, rth }) => ({
    ...openedBy({ open, close }),
    special: [{ days: days.map((day) => addDays(FIRST, day)), close: specialClose, rth }],
  }));
const steps = fc.array(
  fc.record({
    calendar: edits,
    from: fc.integer({ min: 0, max: 30 }),
    days: fc.integer({ min: 0, max: 8 }),
    hoursLater: fc.integer({ min: 0, max: 96 }),
  }),
  { minLength: 1, maxLength: 6 },
);

test('whatever is edited and extended when, an opened session never changes [DET-01]', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      let now = epochNs(addDays(FIRST, 5), 0);
      let kept: SessionBook | null = null;
      for (const { calendar, from, days, hoursLater } of changes) {
        now = (now + BigInt(hoursLater) * BigInt(HOUR_NS)) as EpochNs;
        const start: UtcDay = addDays(FIRST, from);
        const next: SessionBook = extendSessionBook(
          kept,
          calendar,
          start,
          addDays(start, days),
          now,
        );
        for (const kind of SESSION_KINDS) {
          assertDisjoint(next[kind]);
          if (kept === null) continue;
          const { from: first, to: last } = kept;
          const opened = (sessions: readonly Session[]) =>
            sessions.filter(({ date, open }) => open <= now && first <= date && date <= last);
          assert.deepEqual(opened(next[kind]), opened(kept[kind]));
        }
        kept = next;
      }
    }),
    { numRuns: 300 },
  );
});

test('two books that were extended at once from one lose nothing when they are joined, whatever was edited between', () => {
  const dateOf = (offset: number) => addDays(FIRST, offset);
  const reach = fc.nat({ max: 40 });
  const edits = fc.constantFrom(
    EQUITY,
    openedBy({ open: '16:00' }),
    edited([{ days: [20261109], close: 'normal', rth: 'none' }]),
  );
  fc.assert(
    fc.property(reach, reach, reach, reach, edits, (back, on, forth, further, calendar) => {
      const both = book(20261101, 20261120);
      const now = at(20261110, 0);
      const tape = extendSessionBook(both, EQUITY, dateOf(0), dateOf(20 + forth), now);
      const own = extendSessionBook(both, calendar, dateOf(-back), dateOf(on + further), now);
      const joined = joinSessionBooks(tape, own);
      assert.deepEqual([joined.from, joined.to], [own.from, own.to > tape.to ? own.to : tape.to]);
      for (const kind of SESSION_KINDS) {
        assertDisjoint(joined[kind]);
        for (const session of tape[kind])
          assert.deepEqual(find(joined[kind], session.date), session);
        const earlier = own[kind].filter(({ date }) => date < tape.from);
        assert.deepEqual(
          dates(joined[kind].filter(({ date }) => date < tape.from)),
          dates(earlier),
        );
      }
      if (calendar === EQUITY && own.to <= tape.to) {
        const whole = extendSessionBook(tape, EQUITY, own.from, tape.to, now);
        assert.deepEqual(joined, whole);
      }
    }),
  );
});

test('books with dates between them that nobody has resolved are not joined', () => {
  const late = book(20261120, 20261130);
  assert.equal(joinSessionBooks(late, book(20261101, 20261118)), late);
  assert.equal(joinSessionBooks(late, book(20261101, 20261119)).from, 20261101);
});
