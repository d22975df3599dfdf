import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthDays, monthText, nearMonth } from './month-days.ts';

test('weeks begin on Monday, and months know their length', () => {
  const november = monthDays('2026-11');
  assert.equal(november.indexOf('2026-11-01'), 6);
  assert.equal(november.at(-1), '2026-11-30');
  assert.equal(monthDays('2028-02').filter(Boolean).length, 29);
  assert.equal(nearMonth('2026-12', 1), '2027-01');
  assert.equal(nearMonth('2026-01', -1), '2025-12');
  assert.equal(monthText('2026-11'), 'November 2026');
});
