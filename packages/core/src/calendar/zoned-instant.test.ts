import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '../utc-day.ts';
import { type LocalTime, zonedInstant } from './zoned-instant.ts';

const utc = (day: number, time: LocalTime, zone: string) =>
  Temporal.Instant.fromEpochNanoseconds(zonedInstant(utcDay(day), time, zone)).toString();

test('a wall time follows the clock changes of its zone', () => {
  assert.equal(utc(20260306, '17:00', 'America/Chicago'), '2026-03-06T23:00:00Z');
  assert.equal(utc(20260308, '17:00', 'America/Chicago'), '2026-03-08T22:00:00Z');
  assert.equal(utc(20261030, '16:00', 'Europe/London'), '2026-10-30T16:00:00Z');
  assert.equal(utc(20261023, '16:00', 'Europe/London'), '2026-10-23T15:00:00Z');
});

test('24:00 is the midnight that ends the day', () => {
  assert.equal(utc(20261231, '24:00', 'UTC'), '2027-01-01T00:00:00Z');
});

test('a wall time that a clock change skips or repeats is refused', () => {
  assert.throws(() => zonedInstant(utcDay(20260308), '02:30', 'America/Chicago'), RangeError);
  assert.throws(() => zonedInstant(utcDay(20261101), '01:30', 'America/Chicago'), RangeError);
});
