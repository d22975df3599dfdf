import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  dayFromNumber,
  dayNumber,
  dayOf,
  epochNs,
  isoWeekday,
  utcDay,
} from '../utc-day.ts';
import type { Calendar } from './calendar.ts';
import { CALENDAR_NAMES, type CalendarName, calendarNamed } from './calendars.ts';
import { resolveSessions } from './resolve-sessions.ts';
import { SESSION_KINDS, type Session, type SessionKind } from './session.ts';

const CME_NAMES = CALENDAR_NAMES.filter((name) => name !== 'round-the-clock');
const names = fc.constantFrom(...CALENDAR_NAMES);
const kinds = fc.constantFrom(...SESSION_KINDS);
const starts = fc
  .integer({ min: dayNumber(utcDay(20100101)), max: dayNumber(utcDay(20500101)) })
  .map(dayFromNumber);
const lengths = fc.nat({ max: 60 });

/** The session of one date as `open close` in the zone's wall time; null if there is none. */
function wall(name: CalendarName, kind: SessionKind, day: number, zone = 'America/Chicago') {
  const [session] = resolveSessions(calendarNamed(name), kind, utcDay(day), utcDay(day));
  if (session === undefined) return null;
  return [session.open, session.close]
    .map((instant) => Temporal.Instant.fromEpochNanoseconds(instant).toZonedDateTimeISO(zone))
    .map((at) => at.toPlainDateTime().toString({ smallestUnit: 'minute' }))
    .join(' ');
}

const hours = (session: Session) => Number(session.close - session.open) / 3.6e12;

test('an ordinary day has the published hours of each product group', () => {
  for (const name of CME_NAMES) {
    assert.equal(wall(name, 'full', 20261112), '2026-11-11T17:00 2026-11-12T16:00', name);
  }
  const day = '2026-11-12';
  assert.equal(wall('cme-equity', 'rth', 20261112), `${day}T08:30 ${day}T15:00`);
  assert.equal(wall('cme-rates', 'rth', 20261112), `${day}T07:20 ${day}T14:00`);
  assert.equal(wall('cme-fx', 'rth', 20261112), `${day}T07:20 ${day}T14:00`);
  const newYork = 'America/New_York';
  assert.equal(wall('cme-energy', 'rth', 20261112, newYork), `${day}T09:00 ${day}T14:30`);
  assert.equal(wall('cme-metals', 'rth', 20261112, newYork), `${day}T08:20 ${day}T13:30`);
});

test('equity, energy and metals have the hours of their time', () => {
  for (const name of ['cme-equity', 'cme-energy', 'cme-metals'] as const) {
    assert.equal(wall(name, 'full', 20131009), '2013-10-08T17:00 2013-10-09T16:15', name);
    assert.equal(wall(name, 'full', 20150918), '2015-09-17T17:00 2015-09-18T16:15', name);
    assert.equal(wall(name, 'full', 20150921), '2015-09-20T17:00 2015-09-21T16:00', name);
  }
  for (const name of ['cme-energy', 'cme-metals'] as const) {
    assert.equal(wall(name, 'full', 20100310), '2010-03-09T17:00 2010-03-10T16:15', name);
  }
  assert.equal(wall('cme-equity', 'full', 20100308), '2010-03-07T17:00 2010-03-08T15:15');
  assert.equal(wall('cme-equity', 'full', 20100310), '2010-03-09T15:30 2010-03-10T15:15');
  assert.equal(wall('cme-equity', 'full', 20121116), '2012-11-15T15:30 2012-11-16T15:15');
  assert.equal(wall('cme-equity', 'full', 20121119), '2012-11-18T17:00 2012-11-19T16:15');
  assert.equal(wall('cme-rates', 'full', 20131009), '2013-10-08T17:00 2013-10-09T16:00');
});

test('a week is five trading days from Sunday evening to Friday afternoon', () => {
  const week = resolveSessions(
    calendarNamed('cme-equity'),
    'full',
    utcDay(20261107),
    utcDay(20261115),
  );
  assert.deepEqual(
    week.map((session) => session.date),
    [20261109, 20261110, 20261111, 20261112, 20261113],
  );
  assert.equal(wall('cme-equity', 'full', 20261109), '2026-11-08T17:00 2026-11-09T16:00');
  assert.equal(week[0]?.open, epochNs(utcDay(20261108), 23 * 3.6e12));
});

test('special days of 2025 and 2026 close early or not at all, each product group in its way', () => {
  const closes: readonly [number, ...(string | null)[]][] = [
    // date, equity, rates, fx, energy and metals; null: closed
    [20250109, '08:30', '12:15', '16:00', '16:00'],
    [20250418, null, null, null, null],
    [20250619, '12:00', '12:00', '16:00', '13:30'],
    [20250703, '12:15', '16:00', '16:00', '16:00'],
    [20250704, '12:00', '12:00', '12:00', '12:00'],
    [20251127, '12:00', '12:00', '16:00', '13:30'],
    [20251128, '12:15', '12:15', '13:45', '13:45'],
    [20251224, '12:15', '12:15', '12:45', '12:45'],
    [20251225, null, null, null, null],
    [20251226, '16:00', '16:00', '16:00', '16:00'],
    [20251231, '16:00', '16:00', '16:00', '16:00'],
    [20260101, null, null, null, null],
    [20260119, '12:00', '12:00', '16:00', '13:30'],
    [20260216, '12:00', '12:00', '16:00', '13:30'],
    [20260403, '08:15', '10:15', '10:15', null],
    [20260525, '12:00', '12:00', '16:00', '13:30'],
    [20260619, '12:00', '12:00', '12:00', '12:00'],
    [20260702, '16:00', '16:00', '16:00', '16:00'],
    [20260703, '12:00', '12:00', '12:00', '12:00'],
    [20260907, '12:00', '12:00', '16:00', '13:30'],
    [20261126, '12:00', '12:00', '16:00', '13:30'],
    [20261127, '12:15', '12:15', '13:45', '13:45'],
    [20261224, '12:15', '12:15', '12:45', '12:45'],
    [20261225, null, null, null, null],
  ];
  for (const [day, equity, rates, fx, commodities] of closes) {
    const close = (name: CalendarName) => wall(name, 'full', day)?.slice(-5) ?? null;
    const found = ['cme-equity', 'cme-rates', 'cme-fx', 'cme-energy', 'cme-metals'] as const;
    assert.deepEqual(
      found.map(close),
      [equity, rates, fx, commodities, commodities],
      `closes of ${day}`,
    );
  }
});

test('half days closed earlier before 2024', () => {
  assert.equal(wall('cme-energy', 'full', 20231124)?.slice(-5), '12:45');
  assert.equal(wall('cme-fx', 'full', 20231124)?.slice(-5), '12:15');
});

test('after a closed day trading starts on the evening of that day', () => {
  assert.equal(wall('cme-equity', 'full', 20251226), '2025-12-25T17:00 2025-12-26T16:00');
  assert.equal(wall('cme-equity', 'full', 20261228), '2026-12-27T17:00 2026-12-28T16:00');
});

test('regular hours end at noon on half days of the stock market and do not exist on holidays', () => {
  assert.equal(wall('cme-equity', 'rth', 20261127), '2026-11-27T08:30 2026-11-27T12:00');
  assert.equal(wall('cme-rates', 'rth', 20261127), '2026-11-27T07:20 2026-11-27T12:15');
  assert.equal(wall('cme-rates', 'rth', 20260403), '2026-04-03T07:20 2026-04-03T10:15');
  for (const name of CME_NAMES) {
    for (const day of [20261126, 20260703, 20261225, 20260119]) {
      assert.equal(wall(name, 'rth', day), null, `${name} ${day}`);
    }
  }
  assert.equal(wall('cme-equity', 'rth', 20260403), null);
});

test('clock changes move the opening in UTC by an hour and leave the trading day at 23 hours', () => {
  const equity = calendarNamed('cme-equity');
  // The Friday before and the Monday after the weekend of the change, in March and in November 2026.
  for (const [friday, monday, opensBefore, opensAfter] of [
    [20260306, 20260309, '23:00', '22:00'],
    [20261030, 20261102, '22:00', '23:00'],
  ] as const) {
    const sessions = resolveSessions(equity, 'full', utcDay(friday), utcDay(monday));
    const opens = sessions.map((session) =>
      Temporal.Instant.fromEpochNanoseconds(session.open).toString().slice(11, 16),
    );
    assert.deepEqual(opens, [opensBefore, opensAfter]);
    assert.deepEqual(sessions.map(hours), [23, 23]);
  }
});

test('in the weeks when only America has changed its clocks the wall times stay American', () => {
  // Europe follows on 2026-03-29, and changes back a week earlier, on 2026-10-25.
  assert.equal(wall('cme-fx', 'rth', 20260316, 'UTC'), '2026-03-16T12:20 2026-03-16T19:00');
  assert.equal(wall('cme-fx', 'rth', 20260316, 'Europe/London')?.slice(11, 16), '12:20');
  assert.equal(wall('cme-fx', 'rth', 20260401, 'Europe/London')?.slice(11, 16), '13:20');
  assert.equal(wall('cme-energy', 'rth', 20261027, 'UTC'), '2026-10-27T13:00 2026-10-27T18:30');
  assert.equal(wall('cme-energy', 'rth', 20261102, 'UTC'), '2026-11-02T14:00 2026-11-02T19:30');
});

test('the round-the-clock calendar trades every UTC day, whatever the clocks and holidays', () => {
  const calendar = calendarNamed('round-the-clock');
  const sessions = resolveSessions(calendar, 'full', utcDay(20260101), utcDay(20261231));
  assert.equal(sessions.length, 365);
  for (const { date, open, close } of sessions) {
    assert.equal(open, epochNs(date, 0));
    assert.equal(close, epochNs(addDays(date, 1), 0));
  }
  assert.equal(
    wall('round-the-clock', 'rth', 20261225, 'UTC'),
    '2026-12-25T13:30 2026-12-25T20:00',
  );
});

test('utc sessions are the whole UTC days on which the market is open for a while', () => {
  const dates = resolveSessions(
    calendarNamed('cme-equity'),
    'utc',
    utcDay(20261219),
    utcDay(20261228),
  ).map((session) => session.date);
  // Sunday evening belongs to Monday's trading day; Christmas 2026 is a Friday with no evening.
  assert.deepEqual(dates, [20261220, 20261221, 20261222, 20261223, 20261224, 20261227, 20261228]);
});

test('sessions are disjoint and ascending, of the dates asked for, whatever the range', () => {
  fc.assert(
    fc.property(names, kinds, starts, lengths, (name, kind, from, length) => {
      const to = addDays(from, length);
      const sessions = resolveSessions(calendarNamed(name), kind, from, to);
      sessions.forEach((session, index) => {
        const before = sessions[index - 1];
        assert.ok(session.open < session.close);
        assert.ok(session.date >= from && session.date <= to);
        if (before) assert.ok(before.close <= session.open && before.date < session.date);
      });
    }),
    { numRuns: 150 },
  );
});

test('a date resolves the same alone as in any range', () => {
  fc.assert(
    fc.property(names, kinds, starts, lengths, (name, kind, from, length) => {
      const calendar = calendarNamed(name);
      const whole = resolveSessions(calendar, kind, from, addDays(from, length));
      const single: Session[] = [];
      for (let offset = 0; offset <= length; offset += 1) {
        const date = addDays(from, offset);
        single.push(...resolveSessions(calendar, kind, date, date));
      }
      assert.deepEqual(whole, single);
    }),
    { numRuns: 60 },
  );
});

const hoursOf = (calendar: Calendar, { date }: Session) =>
  calendar.hours.find(
    ({ from = date, weekdays }) => from <= date && weekdays.includes(isoWeekday(date)),
  )!;

test('every session lies inside the normal local hours and regular hours inside the trading day', () => {
  fc.assert(
    fc.property(names, starts, (name, from) => {
      const calendar = calendarNamed(name);
      const full = resolveSessions(calendar, 'full', from, addDays(from, 10));
      const rth = resolveSessions(calendar, 'rth', from, addDays(from, 10));
      for (const [session, normal] of [
        ...full.map((session) => [session, hoursOf(calendar, session).full] as const),
        ...rth.map((session) => [session, hoursOf(calendar, session).rth] as const),
      ]) {
        const at = (instant: bigint) =>
          Temporal.Instant.fromEpochNanoseconds(instant).toZonedDateTimeISO(normal.zone);
        assert.equal(at(session.open).toPlainTime().toString().slice(0, 5), normal.open);
        if (normal.close !== '24:00') {
          assert.ok(at(session.close).toPlainTime().toString().slice(0, 5) <= normal.close);
          assert.equal(
            at(session.close).toPlainDate().toString().replaceAll('-', ''),
            `${session.date}`,
          );
        }
      }
      for (const { date, open, close } of rth) {
        const day = full.find((session) => session.date === date);
        assert.ok(day && day.open <= open && close <= day.close);
      }
    }),
    { numRuns: 150 },
  );
});

test('a UTC day is a utc session exactly when a full session touches it', () => {
  fc.assert(
    fc.property(names, starts, (name, from) => {
      const calendar = calendarNamed(name);
      const to = addDays(from, 9);
      const touched = new Set<number>();
      for (const session of resolveSessions(calendar, 'full', addDays(from, -3), addDays(to, 3))) {
        for (let at = session.open; at < session.close; at = (at + 60_000_000_000n) as never) {
          touched.add(dayOf(at));
        }
      }
      const expected = [...touched].filter((day) => day >= from && day <= to);
      const utc = resolveSessions(calendar, 'utc', from, to).map((session) => session.date);
      assert.deepEqual(utc, expected);
    }),
    { numRuns: 40 },
  );
});
