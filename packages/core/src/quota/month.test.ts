import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs } from '../numbers.ts';
import { epochNs, utcDay } from '../utc-day.ts';
import { dayIn, nextRenewal, periodBefore, periodOf } from './month.ts';

const midnight = (day: number) => epochNs(utcDay(day), 0);
const DAY_LAST_NS = 86_399_999_999_999;

test('a month lasts from its first midnight to the last nanosecond before the next', () => {
  const cases: readonly [last: number, period: string, next: number, nextPeriod: string][] = [
    [20261130, '2026-11', 20261201, '2026-12'],
    [20261231, '2026-12', 20270101, '2027-01'],
    [20270131, '2027-01', 20270201, '2027-02'],
    [20270228, '2027-02', 20270301, '2027-03'],
    [20280229, '2028-02', 20280301, '2028-03'],
    [21000228, '2100-02', 21000301, '2100-03'],
    [20000229, '2000-02', 20000301, '2000-03'],
    [19700131, '1970-01', 19700201, '1970-02'],
  ];
  for (const [last, period, next, nextPeriod] of cases) {
    const end = epochNs(utcDay(last), DAY_LAST_NS);
    assert.equal(periodOf(end), period);
    assert.equal(nextRenewal(end), midnight(next));
    assert.equal(nextRenewal(end), end + 1n);
    assert.equal(periodOf(nextRenewal(end)), nextPeriod);
  }
  assert.equal(periodOf(midnight(20280228)), '2028-02');
  assert.equal(nextRenewal(midnight(20280228)), midnight(20280301));
});

test('an instant outside of a month has the day of it that is nearest', () => {
  const now = midnight(20261115);
  const expected = { '2026-11': 20261115, '2026-10': 20261031, '2024-02': 20240229 };
  for (const [period, day] of Object.entries(expected)) assert.equal(dayIn(period, now), day);
  assert.equal(dayIn('2025-12', now), 20251231);
  assert.equal(dayIn('2026-12', now), 20261201);
});

test('so many months before a month is a month, also over years', () => {
  const now = midnight(20261115);
  const expected = { 0: '2026-11', 1: '2026-10', 10: '2026-01', 11: '2025-12', 13: '2025-10' };
  for (const [months, period] of Object.entries(expected)) {
    assert.equal(periodBefore(now, Number(months)), period);
  }
});

test('the first instant of a month belongs to it', () => {
  assert.equal(periodOf(midnight(20261101)), '2026-11');
  assert.equal(nextRenewal(midnight(20261101)), midnight(20261201));
  assert.equal(periodOf(0n as EpochNs), '1970-01');
});

test('the month and its end are those of the calendar, at any instant', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 250_000_000_000_000_000_000n), (ns) => {
      const now = ns as EpochNs;
      const date = new Date(Number(now / 1_000_000n));
      assert.equal(periodOf(now), date.toISOString().slice(0, 7));
      const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      assert.equal(nextRenewal(now), BigInt(next) * 1_000_000n);
      assert.ok(nextRenewal(now) > now);
    }),
    { numRuns: 1000 },
  );
});
