import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '../numbers.ts';
import { utcDay } from '../utc-day.ts';
import type { Calendar, SessionHours } from './calendar.ts';
import { isTradingDate, resolveSessions } from './resolve-sessions.ts';
import { SPECIAL_DAY_NAMES, specialNamesOf } from './special-days.ts';

const hours = (open: SessionHours['open'], openDayOffset: -1 | 0 = 0): SessionHours => ({
  zone: 'Europe/London',
  openDayOffset,
  open,
  close: '23:00',
});
const MARKET: Calendar = {
  name: 'market',
  hours: [
    { weekdays: [1], full: hours('23:00', -1), rth: hours('08:00') },
    {
      to: utcDay(20260116),
      weekdays: [1, 2, 3, 4, 5],
      full: hours('02:00'),
      rth: hours('09:00'),
    },
    { from: utcDay(20260119), weekdays: [2, 3, 4], full: hours('01:00'), rth: hours('08:00') },
  ],
  special: [{ days: ['easter-monday', '12-24', 2026_01_07], close: 'closed' }],
};
const opening = (day: number) => {
  const [session] = resolveSessions(MARKET, 'full', utcDay(day), utcDay(day));
  const { open } = session ?? {};
  return open === undefined
    ? null
    : Temporal.Instant.fromEpochNanoseconds(open).toString().slice(0, 16);
};

test('a date has its own name, that of every year, and those of the holidays it is', () => {
  const names = (day: number) => specialNamesOf(utcDay(day));
  assert.deepEqual(names(20261113), [20261113, '11-13']);
  assert.deepEqual(names(20261224), [20261224, '12-24', 'christmas-eve']);
  assert.deepEqual(names(20260403), [
    20260403,
    '04-03',
    'good-friday-jobs-report',
    'easter-friday',
  ]);
  assert.deepEqual(names(20260406), [20260406, '04-06', 'easter-monday']);
  assert.equal(new Set(SPECIAL_DAY_NAMES).size, SPECIAL_DAY_NAMES.length);
});

test('the first hours that hold on a weekday and date are taken; without any it is no trading date', () => {
  assert.equal(opening(20260112), '2026-01-11T23:00'); // Monday
  assert.equal(opening(20260113), '2026-01-13T02:00');
  assert.equal(opening(20260116), '2026-01-16T02:00'); // Friday, the last day of the old hours
  assert.equal(opening(20260120), '2026-01-20T01:00');
  assert.equal(opening(20260123), null);
  assert.equal(opening(20260117), null);
});

test('a trading date is one with a session', () => {
  for (const [from, to] of [
    [20260101, 20260131],
    [20260330, 20260410],
    [20261220, 20261231],
  ] as const) {
    const dates = resolveSessions(MARKET, 'full', utcDay(from), utcDay(to)).map(({ date }) => date);
    for (let day = from as number; day <= to; day += day === 20260331 ? 70 : 1) {
      assert.equal(isTradingDate(MARKET, day as UtcDay), dates.includes(day as UtcDay), `${day}`);
    }
  }
});
