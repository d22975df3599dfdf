import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Calendar, SessionHours } from '@tapeloom/core/calendar/calendar';
import { CALENDAR_NAMES, calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import { SESSION_KINDS, type SessionKind } from '@tapeloom/core/calendar/session';
import { utcDay } from '@tapeloom/core/utc-day';
import { entryOf } from './entry.ts';
import { readCalendar } from './read-calendar.ts';
import { readInstruments } from './read-instruments.ts';
import { Reading } from './reading.ts';
import { CALENDAR_TEMPLATES, PRODUCT_TEMPLATE_NAMES, productTemplate } from './templates.ts';

const FROM = utcDay(20240101);
const TO = utcDay(20261231);
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

function read(fields: unknown): Calendar {
  const reading = new Reading(entryOf(fields), 'X');
  const calendar = readCalendar(reading, 'X', CALENDAR_TEMPLATES);
  reading.settle();
  return calendar;
}

const hours = (line: object) => ({
  zone: 'America/Chicago',
  hours: [{ weekdays: 'mon-fri', open: '17:00', close: '16:00', ...line }],
});

const dateText = (day: unknown) => String(day).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');

/** A calendar in the format of an operator's file. */
function written(calendar: Calendar): unknown {
  const openClose = ({ zone, open, close }: SessionHours) => ({ zone, open, close });
  return {
    hours: calendar.hours.map(({ from, weekdays, full, rth }) => ({
      ...(from !== undefined && { from: dateText(from) }),
      weekdays: weekdays.map((weekday) => WEEKDAYS[weekday - 1]),
      ...openClose(full),
      day: openClose(rth),
    })),
    holidays: calendar.special.map(({ days, close, rth, years, onFriday }) => ({
      days: days.map(dateText),
      close,
      ...(rth === undefined ? {} : { day: rth }),
      ...(years === undefined ? {} : { years }),
      ...(onFriday === undefined ? {} : { on: 'friday' }),
    })),
  };
}

function wall(calendar: Calendar, kind: SessionKind, day: number, zone: string): string | null {
  const [session] = resolveSessions(calendar, kind, utcDay(day), utcDay(day));
  if (session === undefined) return null;
  const at = (instant: bigint) =>
    Temporal.Instant.fromEpochNanoseconds(instant)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime()
      .toString()
      .slice(5, 16);
  return `${at(session.open)} ${at(session.close)}`;
}

test('the sessions of a product by template are those of the built-in calendar, day by day', () => {
  const roots = { ES: 'cme-equity', CL: 'cme-energy', GC: 'cme-metals', ZN: 'cme-rates' };
  for (const [root, name] of Object.entries({ ...roots, '6E': 'cme-fx' })) {
    const contracts = { from: '2024-01', to: '2026-12' };
    const products = { [root]: { extends: root, contracts } };
    const market = readInstruments(JSON.stringify({ datasets: { X: { products } } }));
    const [calendar] = market.datasets[0]!.calendars;
    for (const kind of SESSION_KINDS) {
      assert.deepEqual(
        resolveSessions(calendar!, kind, FROM, TO),
        resolveSessions(calendarNamed(name), kind, FROM, TO),
        `${root} ${kind}`,
      );
    }
  }
});

test('a built-in calendar that is written out in the file gives the same sessions, day by day', () => {
  for (const name of CALENDAR_NAMES) {
    const calendar = read(written(calendarNamed(name)));
    assert.deepEqual({ ...calendar, name }, calendarNamed(name));
    for (const kind of SESSION_KINDS) {
      assert.deepEqual(
        resolveSessions(calendar, kind, FROM, TO),
        resolveSessions(calendarNamed(name), kind, FROM, TO),
      );
    }
  }
});

test('a line of one’s own goes before those of the calendar that is extended', () => {
  const calendar = read({
    extends: 'cme-equity',
    holidays: [{ days: ['2026-11-13', '2026-12-25'], close: '10:00', day: 'none' }],
  });
  const zone = 'America/Chicago';
  assert.equal(wall(calendar, 'full', 20261113, zone), '11-12T17:00 11-13T10:00');
  assert.equal(wall(calendar, 'rth', 20261113, zone), null);
  assert.equal(wall(calendar, 'full', 20261225, zone), '12-24T17:00 12-25T10:00');
  assert.equal(wall(calendar, 'full', 20260101, zone), null);
});

test('hours may differ by weekday and change on a date', () => {
  const brent = CALENDAR_TEMPLATES.get('ice-brent')!;
  assert.equal(wall(brent, 'full', 20261116, 'Europe/London'), '11-15T23:00 11-16T23:00');
  assert.equal(wall(brent, 'full', 20261117, 'Europe/London'), '11-17T01:00 11-17T23:00');
  const calendar = read({
    zone: 'America/Chicago',
    hours: [
      { weekdays: 'mon-fri', open: '17:00', close: '16:15', to: '2015-09-18' },
      { weekdays: 'mon-fri', open: '17:00', close: '16:00', from: '2015-09-21' },
    ],
  });
  assert.equal(wall(calendar, 'full', 20150918, 'America/Chicago'), '09-17T17:00 09-18T16:15');
  assert.equal(wall(calendar, 'full', 20150921, 'America/Chicago'), '09-20T17:00 09-21T16:00');
  assert.equal(wall(calendar, 'rth', 20150921, 'America/Chicago'), '09-20T17:00 09-21T16:00');
});

test('holidays outside of the United States have names and dates of every year', () => {
  const eurex = CALENDAR_TEMPLATES.get('eurex')!;
  const open = (day: number) => wall(eurex, 'full', day, 'Europe/Berlin');
  for (const day of [20260101, 20260403, 20260406, 20260501, 20261224, 20261231, 20250418]) {
    assert.equal(open(day), null, String(day));
  }
  assert.equal(open(20260619), '06-19T01:10 06-19T22:00');
});

test('hours that cannot be are refused', () => {
  const refused = (fields: unknown, pattern: RegExp) => assert.throws(() => read(fields), pattern);
  refused(hours({ zone: 'America/Chicagoo' }), /zone is "America\/Chicagoo"; an IANA zone/);
  refused(hours({ zone: '+01:00' }), /an IANA zone/);
  refused(hours({ weekdays: 'fri-mon' }), /weekdays as mon-fri/);
  refused(hours({ open: '25:00' }), /open is "25:00"; a time as "17:00"/);
  refused(hours({ breaks: [] }), /breaks is not known here/);
  // On a Sunday in March the clock change skips that time.
  refused(hours({ weekdays: 'mon-sun', open: '02:30' }), /cannot be: /);
  refused(hours({ from: '2026-01-02', to: '2026-01-01' }), /ends before it begins/);
  refused({ hours: [{ weekdays: 'mon', open: '09:00', close: '17:00' }] }, /lacks "zone"/);
  refused({ zone: 'UTC' }, /lacks "hours", or "extends"/);
  refused({ extends: 'cme-equty' }, /Did you mean "cme-equity"/);
  refused(
    {
      zone: 'UTC',
      hours: [
        { weekdays: 'mon', open: '00:00', close: '23:00' },
        { weekdays: 'tue', open: '22:00', close: '21:00' },
      ],
    },
    /cannot be: sessions are not disjoint and ascending at 20240102/,
  );
  const special = (line: object) => ({ extends: 'cme-equity', holidays: [line] });
  refused(special({ days: 'xmas', close: 'closed' }), /days is "xmas"; a date/);
  refused(special({ days: 'cristmas', close: 'closed' }), /Did you mean "christmas"/);
  refused(special({ days: '02-30', close: 'closed' }), /days is "02-30"/);
  refused(special({ days: '12-24', close: 'shut' }), /close is "shut"; closed, normal or a time/);
  refused(special({ days: '12-24', close: 'closed', years: [2026] }), /a first and a last year/);
});

test('every template is whole or lacks only what the operator gives', () => {
  for (const name of PRODUCT_TEMPLATE_NAMES) {
    const template = productTemplate(name)!;
    const given = { name: 'X', tick: '0.1', lot: '1', pointValue: '1', ...template };
    const contracts =
      template.expiry === 'never' ? {} : { contracts: { from: '2026-01', to: '2027-12' } };
    const products = { X: { ...given, ...contracts } };
    const { datasets } = readInstruments(JSON.stringify({ datasets: { X: { products } } }));
    assert.ok(datasets[0]!.contracts.length > 0, name);
  }
  assert.equal(productTemplate('toString'), null);
  assert.equal(CALENDAR_TEMPLATES.get('toString'), null);
});
