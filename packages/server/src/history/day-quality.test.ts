import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { TapeDay } from '../tape/tape.ts';
import { qualityOf, qualityRanges } from './day-quality.ts';

test('a day with trades outside of the calendar is a range of its own that says how many', () => {
  const [first, last] = [utcDay(20260309), utcDay(20260312)];
  const calendar = calendarNamed('cme-equity');
  const book = extendSessionBook(null, calendar, first, last, epochNs(last, 0));
  const day = (number: number, more: Partial<TapeDay> = {}) => {
    const found: TapeDay = { day: utcDay(number), trades: 5, state: 'sealed', ...more };
    return [found.day, qualityOf(found)] as const;
  };
  const days = new Map([
    day(20260309),
    day(20260310, { outside: 72 }),
    day(20260311),
    day(20260312),
  ]);
  const plain = { state: 'complete', origin: 'live', gaps: [] };
  assert.deepEqual(qualityRanges(days, sessionTable(book, 'full'), first, last), [
    { ...plain, from: first, to: first },
    { ...plain, from: 20260310, to: 20260310, outside: 72 },
    { ...plain, from: 20260311, to: last },
  ]);
});
