/** The sessions of `session: utc`, and how look-backs count them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drive, type Message } from '../../testing/twins/study-driver.ts';
import { rankTrades } from '../../testing/twins/twin-tape.ts';
import { type CalendarName, calendarNamed } from '../calendar/calendars.ts';
import { resolveSessions } from '../calendar/resolve-sessions.ts';
import type { EpochNs } from '../numbers.ts';
import { addDays, dayOf, epochNs, utcDay } from '../utc-day.ts';
import { UTC_DAY } from './bar-parameters.ts';
import { INDICATORS, indicatorNamed } from './catalogue.ts';
import { parseParams } from './params.ts';

const HOUR_NS = 3_600_000_000_000;
const LATE = 23 * HOUR_NS;

function utcSessions(calendar: CalendarName, first: number, last: number) {
  return resolveSessions(calendarNamed(calendar), 'utc', utcDay(first), utcDay(last));
}

function datesOf(calendar: CalendarName, first: number, last: number): readonly number[] {
  return utcSessions(calendar, first, last).map(({ date }) => date);
}

/** One trade on each day at 23:00 UTC, each a tick higher. */
function messagesOf(
  calendar: CalendarName,
  id: string,
  params: Readonly<Record<string, unknown>>,
  days: readonly number[],
): readonly Message[] {
  const indicator = indicatorNamed(id)!;
  const parsed = parseParams(indicator, { session: 'utc', ...params });
  assert.ok('params' in parsed);
  const trades = days.map((day, at) => {
    return { ns: epochNs(utcDay(day), LATE) as bigint, price: 100 + at, size: 5, side: 1 };
  });
  const last = addDays(utcDay(days.at(-1)!), 7);
  const sessions = utcSessions(calendar, days[0]!, last).map(({ open, close }) => ({
    open,
    close,
  }));
  const tape = { trades: rankTrades(trades), sessions, until: epochNs(last, 0) };
  return drive(indicator.create(parsed.params), tape, 'whole').recorder.messages;
}

/** The previous close shown on each day that has one. */
function previousCloses(calendar: CalendarName, days: readonly number[]) {
  const closes = messagesOf(calendar, 'session-levels', {}, days).flatMap(({ ts, data }) => {
    const { kind, price } = data as { kind: string; price: number };
    return kind === 'previousClose' ? [[dayOf(BigInt(ts) as EpochNs), price]] : [];
  });
  return Object.fromEntries(closes) as Readonly<Record<number, number>>;
}

/** When the levels of the first day's session end by age. */
function removedOn(calendar: CalendarName, lookback: number, day: number): readonly number[] {
  const messages = messagesOf(calendar, 'naked-levels', { lookback }, [day]);
  const removes = messages.filter(({ t }) => t === 'remove');
  return [...new Set(removes.map(({ ts }) => dayOf(BigInt(ts) as EpochNs)))];
}

test('on CME no Saturday is a session, and a Sunday is one for its evening', () => {
  for (const calendar of [
    'cme-equity',
    'cme-energy',
    'cme-metals',
    'cme-rates',
    'cme-fx',
  ] as const) {
    assert.deepEqual(datesOf(calendar, 20261112, 20261117), [
      ...[20261112, 20261113, 20261115, 20261116, 20261117],
    ]);
  }
  for (const { date, open, close } of utcSessions('cme-equity', 20261112, 20261117)) {
    assert.deepEqual([open, close], [epochNs(date, 0), epochNs(addDays(date, 1), 0)]);
  }
});

test('a holiday is a session when the next trading day opens on its evening, else not', () => {
  // 1 January 2026 is a Thursday, 25 December 2026 a Friday.
  assert.deepEqual(datesOf('cme-equity', 20251231, 20260102), [20251231, 20260101, 20260102]);
  assert.deepEqual(datesOf('cme-equity', 20261224, 20261228), [20261224, 20261227, 20261228]);
  assert.deepEqual(removedOn('cme-equity', 1, 20261224), [20261228]);
});

test('a market that never closes has every day, also on holidays', () => {
  const days = [20261224, 20261225, 20261226, 20261227];
  assert.deepEqual(datesOf('round-the-clock', 20261224, 20261227), days);
});

test('a look-back counts sessions, whether or not something traded, and passes over days that are none', () => {
  // Levels of Friday 13 November end with the next session: Sunday's, since Saturday is none.
  assert.deepEqual(removedOn('cme-equity', 1, 20261113), [20261116]);
  assert.deepEqual(removedOn('cme-equity', 2, 20261113), [20261117]);
  assert.deepEqual(removedOn('round-the-clock', 1, 20261113), [20261115]);
});

test('the day before a Sunday is Friday, the day before a Monday is Sunday', () => {
  const days = [20261113, 20261115, 20261116];
  assert.deepEqual(previousCloses('cme-equity', days), { 20261115: 100, 20261116: 101 });
});

test('ten days back are ten sessions: more calendar days by every Saturday', () => {
  assert.deepEqual(previousCloses('cme-equity', [20261106, 20261118]), { 20261118: 100 });
  assert.deepEqual(previousCloses('cme-equity', [20261106, 20261119]), {});
  assert.deepEqual(previousCloses('round-the-clock', [20261106, 20261116]), { 20261116: 100 });
  assert.deepEqual(previousCloses('round-the-clock', [20261106, 20261117]), {});
});

test('trades on a day that is no session are ignored', () => {
  const days = [20261113, 20261114, 20261115];
  assert.deepEqual(previousCloses('cme-equity', days), { 20261115: 100 });
});

test('every indicator with a choice of sessions says what utc means', () => {
  assert.match(UTC_DAY, /from midnight to midnight, if by the exchange's hours the market is open/);
  for (const { id, parameters } of INDICATORS) {
    const session = parameters.find(({ name }) => name === 'session');
    assert.ok(session === undefined || session.description.includes(UTC_DAY), id);
  }
});
