import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs } from './numbers.ts';
import { DAY_MS, DAY_NS } from './units.ts';
import {
  addDays,
  dayFromNumber,
  dayNumber,
  dayOf,
  daysBetween,
  epochNs,
  epochNsText,
  isoWeekday,
  isUtcDay,
  nsOfDay,
  utcDay,
} from './utc-day.ts';

const DAY_NUMBER_MAX = 2_932_896;
const dayNumbers = fc.integer({ min: 0, max: DAY_NUMBER_MAX });

test('the first and last day that exist are 1970-01-01 and 9999-12-31', () => {
  assert.equal(dayFromNumber(0), 19700101);
  assert.equal(dayFromNumber(DAY_NUMBER_MAX), 99991231);
  for (const number of [-1, DAY_NUMBER_MAX + 1, 0.5, Number.NaN]) {
    assert.throws(() => dayFromNumber(number), RangeError);
  }
});

test('a day and its number correspond one to one and ascend together', () => {
  fc.assert(
    fc.property(dayNumbers, dayNumbers, (a, b) => {
      const [dayA, dayB] = [dayFromNumber(a), dayFromNumber(b)];
      assert.ok(isUtcDay(dayA));
      assert.equal(dayNumber(dayA), a);
      assert.equal(Math.sign(dayA - dayB), Math.sign(a - b));
      assert.equal(daysBetween(dayA, dayB), b - a);
      assert.equal(addDays(dayA, b - a), dayB);
    }),
    { numRuns: 1000 },
  );
});

test('every day of the 400 years after which the calendar repeats is that of Date', () => {
  for (let number = 0; number < 146_097; number += 1) {
    const [date] = new Date(number * DAY_MS).toISOString().split('T', 1);
    assert.equal(dayFromNumber(number), Number(date!.replaceAll('-', '')));
  }
});

test('a number is a day exactly when Temporal knows that date', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1969, max: 2110 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 33 }),
      (year, month, day) => {
        let exists = year >= 1970;
        try {
          Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
        } catch {
          exists = false;
        }
        assert.equal(isUtcDay(year * 10_000 + month * 100 + day), exists);
      },
    ),
    { numRuns: 2000 },
  );
});

test('days that do not exist are refused with their number', () => {
  for (const number of [20250229, 20261301, 20260001, 20260100, 20260431, 2026111, 20261113.5]) {
    assert.equal(isUtcDay(number), false);
    assert.throws(() => utcDay(number), { name: 'RangeError', message: new RegExp(`${number}$`) });
  }
  assert.equal(utcDay(20240229), 20240229);
});

test('weekdays count from Monday 1 to Sunday 7', () => {
  assert.equal(isoWeekday(utcDay(19700101)), 4);
  fc.assert(
    fc.property(dayNumbers, (number) => {
      const day = dayFromNumber(number);
      const date = Temporal.PlainDate.from(String(day));
      assert.equal(isoWeekday(day), date.dayOfWeek);
    }),
    { numRuns: 500 },
  );
});

test('an instant is its day plus nanoseconds, exactly, to the last nanosecond of a day', () => {
  fc.assert(
    fc.property(dayNumbers, fc.integer({ min: 0, max: DAY_NS - 1 }), (number, ns) => {
      const day = dayFromNumber(number);
      const instant = epochNs(day, ns);
      assert.equal(dayOf(instant), day);
      assert.equal(nsOfDay(instant), ns);
      assert.equal(epochNsText(day, ns), instant.toString());
      const beyond = ns + 2 * DAY_NS;
      assert.equal(epochNsText(day, beyond), epochNs(day, beyond).toString());
    }),
    { numRuns: 1000 },
  );
  assert.equal(epochNs(utcDay(20261113), DAY_NS), epochNs(utcDay(20261114), 0));
});

test('an instant before 1970 has no day and is refused', () => {
  assert.throws(() => dayOf(-1n as EpochNs), RangeError);
  assert.throws(() => nsOfDay(-1n as EpochNs), RangeError);
});
