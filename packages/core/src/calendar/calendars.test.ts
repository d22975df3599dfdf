import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALENDAR_NAMES, calendarNamed } from './calendars.ts';

test('every listed name has a calendar that knows its name', () => {
  for (const name of CALENDAR_NAMES) assert.equal(calendarNamed(name).name, name);
  assert.ok(CALENDAR_NAMES.includes('cme-equity') && CALENDAR_NAMES.includes('round-the-clock'));
});

test('an unknown name is refused with the known ones', () => {
  for (const name of ['CME-EQUITY', 'toString', '']) {
    assert.throws(() => calendarNamed(name), { name: 'RangeError', message: /cme-rates, cme-fx/ });
  }
});
