import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, dayFromNumber, isoWeekday, utcDay } from '../utc-day.ts';
import {
  addBusinessDays,
  isUsBusinessDay,
  lastWeekday,
  nthWeekday,
  type UsHoliday,
  usHolidayOn,
} from './us-holidays.ts';

const days = fc.integer({ min: 0, max: 40_000 }).map(dayFromNumber);

test('the special days of 2025 to 2028 are those of the stock exchange', () => {
  const expected: readonly (readonly [number, UsHoliday])[] = [
    [20250101, 'new-year'],
    [20250120, 'martin-luther-king'],
    [20250217, 'presidents'],
    [20250418, 'good-friday'],
    [20250526, 'memorial'],
    [20250619, 'juneteenth'],
    [20250703, 'independence-eve'],
    [20250704, 'independence'],
    [20250901, 'labor'],
    [20251127, 'thanksgiving'],
    [20251128, 'thanksgiving-friday'],
    [20251224, 'christmas-eve'],
    [20251225, 'christmas'],
    [20260101, 'new-year'],
    [20260119, 'martin-luther-king'],
    [20260216, 'presidents'],
    [20260403, 'good-friday-jobs-report'],
    [20260525, 'memorial'],
    [20260619, 'juneteenth'],
    [20260703, 'independence'],
    [20260907, 'labor'],
    [20261126, 'thanksgiving'],
    [20261127, 'thanksgiving-friday'],
    [20261224, 'christmas-eve'],
    [20261225, 'christmas'],
    [20270101, 'new-year'],
    [20270118, 'martin-luther-king'],
    [20270215, 'presidents'],
    [20270326, 'good-friday'],
    [20270531, 'memorial'],
    [20270618, 'juneteenth'],
    [20270705, 'independence'],
    [20270906, 'labor'],
    [20271125, 'thanksgiving'],
    [20271126, 'thanksgiving-friday'],
    [20271224, 'christmas'],
    [20280117, 'martin-luther-king'],
    [20280221, 'presidents'],
    [20280414, 'good-friday'],
    [20280529, 'memorial'],
    [20280619, 'juneteenth'],
    [20280703, 'independence-eve'],
    [20280704, 'independence'],
    [20280904, 'labor'],
    [20281123, 'thanksgiving'],
    [20281124, 'thanksgiving-friday'],
    [20281225, 'christmas'],
  ];
  const found: [number, UsHoliday][] = [];
  for (let day = utcDay(20250101); day <= 20281231; day = addDays(day, 1)) {
    const holiday = usHolidayOn(day);
    if (holiday !== null && isoWeekday(day) <= 5) found.push([day, holiday]);
  }
  assert.deepEqual(found, expected);
});

test('observed days follow the stock exchange: Sunday to Monday, Saturday to Friday but for New Year', () => {
  assert.equal(usHolidayOn(utcDay(20230102)), 'new-year');
  assert.equal(usHolidayOn(utcDay(20211231)), null);
  assert.equal(usHolidayOn(utcDay(20211224)), 'christmas');
  assert.equal(usHolidayOn(utcDay(20211223)), null);
  assert.equal(usHolidayOn(utcDay(20221226)), 'christmas');
  assert.equal(usHolidayOn(utcDay(20221223)), null);
  assert.equal(usHolidayOn(utcDay(20220620)), 'juneteenth');
  assert.equal(usHolidayOn(utcDay(20210618)), null);
});

test('Good Friday is right across a century and knows the years of the employment report', () => {
  const goodFridays = [
    19700327, 20000421, 20080321, 20110422, 20160325, 20180330, 20190419, 20200410, 20220415,
    20240329, 20250418, 20350323, 20380423, 20490416,
  ];
  for (const day of goodFridays) assert.equal(usHolidayOn(utcDay(day)), 'good-friday', String(day));
  for (const day of [20100402, 20120406, 20150403, 20210402, 20230407, 20260403]) {
    assert.equal(usHolidayOn(utcDay(day)), 'good-friday-jobs-report', String(day));
  }
});

test('half days are business days, holidays and weekends are not', () => {
  for (const day of [20261125, 20261127, 20261224, 20250703]) {
    assert.equal(isUsBusinessDay(utcDay(day)), true, String(day));
  }
  for (const day of [20261126, 20261225, 20260403, 20260619, 20261114, 20261115]) {
    assert.equal(isUsBusinessDay(utcDay(day)), false, String(day));
  }
});

test('counting business days lands on one, counts each once and goes back the same way', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 1, max: 30 }), (day, count) => {
      const later = addBusinessDays(day, count);
      assert.ok(isUsBusinessDay(later));
      let between = 0;
      for (let at = addDays(day, 1); at <= later; at = addDays(at, 1)) {
        if (isUsBusinessDay(at)) between += 1;
      }
      assert.equal(between, count);
      if (isUsBusinessDay(day)) assert.equal(addBusinessDays(later, -count), day);
    }),
    { numRuns: 500 },
  );
});

test('the n-th and the last weekday of a month lie in that month', () => {
  assert.equal(nthWeekday(2026, 12, 5, 3), 20261218);
  assert.equal(lastWeekday(2026, 10, 5), 20261030);
  assert.equal(lastWeekday(2026, 2, 6), 20260228);
  fc.assert(
    fc.property(
      fc.integer({ min: 1971, max: 2100 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 7 }),
      (year, month, weekday) => {
        const last = lastWeekday(year, month, weekday);
        assert.equal(Math.trunc(last / 100), year * 100 + month);
        assert.equal(isoWeekday(last), weekday);
        assert.notEqual(Math.trunc(addDays(last, 7) / 100), year * 100 + month);
      },
    ),
    { numRuns: 500 },
  );
});
