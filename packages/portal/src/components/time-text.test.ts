import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bothTimesText,
  dayText,
  millisecondsOf,
  minuteText,
  relativeText,
  secondText,
} from './time-text.ts';

const at = Date.UTC(2026, 10, 15, 9, 41, 7);

test('an instant of the interface becomes milliseconds without losing its second', () => {
  assert.equal(millisecondsOf('1794735667123456789'), 1_794_735_667_123);
});

test('a time is in UTC and says so, with the reader’s own beside it where it differs', () => {
  assert.equal(dayText(at), '15 Nov 2026');
  assert.equal(minuteText(at), '15 Nov 2026, 09:41');
  assert.equal(bothTimesText(at, 'UTC'), '15 Nov 2026, 09:41 UTC');
  assert.equal(bothTimesText(at, 'Europe/Berlin'), '15 Nov 2026, 09:41 UTC (10:41 in Berlin)');
  assert.equal(bothTimesText(at, 'Pacific/Auckland'), '15 Nov 2026, 09:41 UTC (22:41 in Auckland)');
  assert.equal(
    bothTimesText(Date.UTC(2026, 10, 15, 22, 0), 'Asia/Tokyo'),
    '15 Nov 2026, 22:00 UTC (16 Nov 2026, 07:00 in Tokyo)',
  );
  assert.equal(bothTimesText(at, 'Etc/GMT+3'), '15 Nov 2026, 09:41 UTC (06:41 your time)');
  assert.equal(dayText(Date.UTC(2026, 8, 3)), '3 Sep 2026');
});

test('near times are said by distance and far ones by their day', () => {
  const minute = 60_000;
  assert.equal(relativeText(at, at + 20_000), 'Just now');
  assert.equal(relativeText(at, at + 2 * minute), '2 min ago');
  assert.equal(relativeText(at, at + 119 * minute), '1 h ago');
  assert.equal(relativeText(at, at + 24 * 60 * minute), 'Yesterday, 09:41 UTC');
  assert.equal(relativeText(at, at + 72 * 60 * minute), '15 Nov 2026');
  assert.equal(relativeText(at, at - 5 * 60 * minute), 'In 5 h');
  assert.equal(relativeText(at, at - 30_000), 'In less than a minute');
  assert.equal(relativeText(at, at - 72 * 60 * minute), '15 Nov 2026');
});

test('instants that are seconds apart are told apart', () => {
  assert.equal(secondText(at, at + 60_000, 'UTC'), '09:41:07');
  assert.equal(secondText(at, at + 60_000, 'Europe/Berlin'), '10:41:07');
  assert.equal(secondText(at, at + 86_400_000, 'UTC'), '15 Nov 2026, 09:41:07');
});
